// The kernel's state of another process of this host: whether it is stopped, or only waits.
#pragma once

#include <optional>

namespace railgauge {

// The letter of proc(5): R, S, D, T and so on. Nothing where there is no such process, or this process may not read its state.
[[nodiscard]] std::optional<char> state_of_process(int process);

// Whether a signal stopped the process (SIGSTOP, SIGTSTP, ...). False for a process that a debugger holds.
[[nodiscard]] constexpr bool is_stopped(char state) noexcept { return state == 'T'; }

}  // namespace railgauge

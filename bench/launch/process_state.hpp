// What the kernel says of another process of this host: whether it is stopped, or merely waits.
#pragma once

#include <optional>

namespace railgauge {

// The letter of proc(5): R, S, D, T and so on. Nothing where there is no such process, or none that this one may see.
[[nodiscard]] std::optional<char> state_of_process(int process);

// By a signal (SIGSTOP, SIGTSTP, ...). A process that a debugger holds is not: somebody is looking at it.
[[nodiscard]] constexpr bool is_stopped(char state) noexcept { return state == 'T'; }

}  // namespace railgauge

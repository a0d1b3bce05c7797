// The control of a gate: the accepted build, and the interleaved launches of the control and the suite.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/interleave/launches.hpp"
#include "reports/gate/control.hpp"

namespace railgauge {

// The value of --control.
struct ControlCommand {
  std::vector<std::string> words;  // the suite as the accepted build runs it; none where there is no such build yet
  std::string keep;                // then the command that keeps the present one where it was looked for
};

// `given` is a program, a folder with a program (railgauge, bin/railgauge), or the words of a command. It replaces the word
// before "bench" in `suite`; where `given` has the word "bench" or `suite` lacks it, `given` is the whole command. Throws
// Error(usage).
[[nodiscard]] ControlCommand control_command(const std::string& given, const std::vector<std::string>& suite);

// Launches the suite, or the control, under that name.
using Launcher = std::function<LaunchEnd(bool of_control, const std::string& name)>;

// The outcome of the interleaved launches.
struct TurnsEnd {
  gate::BesideControl verdict;
  std::vector<LaunchEnd> launches;    // of the suite, those that came through
  std::vector<std::string> failures;  // sentences, of launches behind the first of each
  Seconds took{};                     // of all, those of the control too
};
// Launches A B B A until the verdict is decided; writes to `to` when something looks slow. Throws Error(usage) when the first
// launch of either fails, Error(lost) when it lost a rank, and as gate::BesideControl.
[[nodiscard]] TurnsEnd launch_in_turn(const Launcher& launch, std::FILE* to);

}  // namespace railgauge

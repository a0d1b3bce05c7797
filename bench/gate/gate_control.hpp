// The control of a gate: the accepted build, and the launches that it and the suite make, interleaved.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/interleave/launches.hpp"
#include "reports/gate/control.hpp"

namespace railgauge {

// What --control says.
struct ControlCommand {
  std::vector<std::string> words;  // the suite as the accepted build runs it; none where there is no such build yet
  std::string keep;                // then the command that keeps the present one where it was looked for
};

// `given` is a program, a folder with one in it (railgauge, bin/railgauge), or the words of a command. It takes the place of the
// word in front of "bench" in `suite`; one that says "bench" itself, or beside a suite that does not, is the whole command.
// Throws Error(usage).
[[nodiscard]] ControlCommand control_command(const std::string& given, const std::vector<std::string>& suite);

// Starts a launch of the suite, or of the control, under that name.
using Launcher = std::function<LaunchEnd(bool of_control, const std::string& name)>;

// What the interleaved launches came to.
struct TurnsEnd {
  gate::BesideControl verdict;
  std::vector<LaunchEnd> launches;    // of the suite, those that came through
  std::vector<std::string> failures;  // sentences, of launches behind the first of each
  Seconds took{};                     // of all, those of the control too
};
// A B B A, until it is decided; says to `to` when something looks slow. Throws Error(usage) where the first launch of either
// fails, Error(lost) where it lost a rank, and as gate::BesideControl.
[[nodiscard]] TurnsEnd launch_in_turn(const Launcher& launch, std::FILE* to);

}  // namespace railgauge

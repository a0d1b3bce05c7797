// The words and turns behind bench/gate/gate_control.hpp.
#include "bench/gate/gate_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/print.hpp"
#include "base/subprocess.hpp"
#include "bench/interleave/interleave.hpp"

namespace railgauge {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// The program that the only word of --control names; nothing where there is none yet.
std::optional<std::string> program_at(const std::string& given) {
  std::error_code absent;
  if (!fs::is_directory(given, absent)) return fs::exists(given, absent) ? std::optional(given) : std::nullopt;
  for (const char* const name : {"railgauge", "bin/railgauge"})
    if (const fs::path program = fs::path(given) / name; fs::exists(program, absent)) return program.string();
  return std::nullopt;
}

std::string as_word(const std::string& path) {
  const bool plain = path.find_first_of(" \t'\"\\$&|;<>()*?") == std::string::npos;
  return plain ? path : "'" + path + "'";
}

}  // namespace

ControlCommand control_command(const std::string& given, const Words& suite) {
  if (given.starts_with('~'))
    throw Error(Fault::usage,
                fmt::format("--control {}: a shell replaces ~ only at the start of a word: put a blank in front of it", given));
  std::error_code absent;
  const bool there = fs::exists(given, absent);
  Words control = there ? Words{given} : command_words(given);
  const auto bench = std::find(suite.begin(), suite.end(), "bench");
  if (there || (control.size() == 1 && control.front().find('/') != std::string::npos)) {
    const std::optional<std::string> program = program_at(control.front());
    if (!program) {
      const std::string built = bench == suite.end() || bench == suite.begin() ? "PROGRAM" : *std::prev(bench);
      return {{}, fmt::format("install -D {} {}", as_word(built), as_word(control.front()))};
    }
    control = {fs::path(*program).has_parent_path() ? *program : "./" + *program};  // not to be looked for in PATH
  }
  const bool whole = std::find(control.begin(), control.end(), "bench") != control.end();
  if (whole || bench == suite.end() || bench == suite.begin()) return {std::move(control), {}};
  Words words(suite.begin(), std::prev(bench));
  words.insert(words.end(), control.begin(), control.end());
  words.insert(words.end(), bench, suite.end());
  return {std::move(words), {}};
}

TurnsEnd launch_in_turn(const Launcher& launch, std::FILE* to) {
  std::vector<LaunchEnd> launches;
  std::vector<std::string> failures;
  Seconds took{};
  int number = 0;
  const auto next_pair = [&] {
    gate::LaunchPair pair;
    ++number;
    for (const int turn : {2 * number - 2, 2 * number - 1}) {
      const bool of_control = is_of_base(turn);
      const char* const side = of_control ? "control" : "suite";
      LaunchEnd end = launch(of_control, fmt::format("{}-{}", side, number));
      took += end.took;
      if (!end.failure.empty()) {
        if (number == 1)
          throw Error(end.code == static_cast<int>(Fault::lost) ? Fault::lost : Fault::usage,
                      fmt::format("the {} {}; nothing was added to the history", side, end.failure));
        failures.push_back(fmt::format("launch {} of the {} {}", number, side, end.failure));
        continue;
      }
      (of_control ? pair.control_file : pair.next_file) = end.file;
      (of_control ? pair.control : pair.next) = end.results;
      if (!of_control) launches.push_back(std::move(end));
    }
    return pair;
  };
  gate::BesideControl verdict(next_pair(), compare::TurnRule());
  for (bool told = false; verdict.wanted() > 0;) {
    verdict.add(next_pair());
    if (verdict.suspected() && !std::exchange(told, true))
      print(fmt::format("gate: something looks slower than the control after {:.0f} s: launching both {} times again, or more\n",
                        took.count(), verdict.wanted()),
            to);
  }
  return {std::move(verdict), std::move(launches), std::move(failures), took};
}

}  // namespace railgauge

// How main and the subcommands meet: each command adds itself to the program and, when chosen, says what to run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/environment.hpp"

namespace CLI {
class App;
}

namespace railgauge {

// What the program takes from outside, read once in main.
struct Surroundings {
  std::vector<std::filesystem::path> plugin_folders;
  std::map<std::string, std::string, std::less<>> environment;
  std::string arguments;  // the command line without the program's name
  bool colour = true;     // false where NO_COLOR is set or TERM is dumb
};

[[nodiscard]] Surroundings look_around(int argc, char** argv);
// As launchers' variables and default places are read. `surroundings` outlive it.
[[nodiscard]] Environment environment_of(const Surroundings& surroundings);

using Action = std::function<int()>;  // returns the exit code

// `surroundings` and `action` outlive the program's parsing and the action.
void add_topo(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_bench(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_report(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_compare(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_launch(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_gate(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_history(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_validate(CLI::App& program, const Surroundings& surroundings, Action& action);
void add_list(CLI::App& program, const Surroundings& surroundings, Action& action);

}  // namespace railgauge

// How main and the subcommands meet: each command adds itself to the program and, when chosen, says what to run.
#pragma once

#include <functional>

#include "base/invocation.hpp"

namespace CLI {
class App;
}

namespace railgauge {

using Action = std::function<int()>;  // returns the exit code

// `invocation` and `action` outlive the program's parsing and the action.
void add_topo(CLI::App& program, const Invocation& invocation, Action& action);
void add_bench(CLI::App& program, const Invocation& invocation, Action& action);
void add_report(CLI::App& program, const Invocation& invocation, Action& action);
void add_compare(CLI::App& program, const Invocation& invocation, Action& action);
void add_launch(CLI::App& program, const Invocation& invocation, Action& action);
void add_gate(CLI::App& program, const Invocation& invocation, Action& action);
void add_history(CLI::App& program, const Invocation& invocation, Action& action);
void add_validate(CLI::App& program, const Invocation& invocation, Action& action);
void add_list(CLI::App& program, const Invocation& invocation, Action& action);

}  // namespace railgauge

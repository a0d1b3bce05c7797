// How main and the subcommands meet: each command adds itself to the program and, when chosen, says what to run.
#pragma once

#include <functional>
#include <span>

#include "base/invocation.hpp"

namespace CLI {
class App;
}

namespace railgauge {

using Action = std::function<int()>;  // returns the exit code

// Adds a command to the program. `invocation` and `action` outlive the program's parsing and the action.
using AddCommand = void(CLI::App& program, const Invocation& invocation, Action& action);
AddCommand add_topo;  // for the tests of what it prints

[[nodiscard]] std::span<AddCommand* const> commands() noexcept;  // in the order of --help; static storage

}  // namespace railgauge

// The whole command line of railgauge as one object: main parses with it, and help, manual pages and completions are made of it.
#pragma once

#include <memory>

#include "base/invocation.hpp"
#include "bench/commands/command.hpp"

namespace CLI {
class App;
}

namespace railgauge {

// `invocation` and `action` outlive the program.
[[nodiscard]] std::unique_ptr<CLI::App> make_program(const Invocation& invocation, Action& action);

// Reads the command line, and what the environment and the file of --config say beside it; then runs the command. What was taken
// from them is noted in `invocation`, so that ranks that were started differently are found. Returns the exit code; throws
// Error(usage).
int run_program(int argc, char** argv, Invocation& invocation);

}  // namespace railgauge

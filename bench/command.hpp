// The subcommands: each adds itself to the parser and, when it was asked for, leaves what main is to run.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace railgauge {

using Action = std::function<int()>;  // returns the exit code; throws Error

void add_topo(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);

}  // namespace railgauge

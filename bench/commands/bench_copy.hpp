// railgauge bench copy: a matrix of copies between memories.
#pragma once

#include <CLI/CLI.hpp>

#include "bench/commands/command.hpp"

namespace railgauge {

// Adds `copy` to `bench`. Those outlive the program's parsing and the action. Options and words that stand before `copy` are
// refused when it runs.
void add_bench_copy(CLI::App& bench, const Invocation& invocation, Action& action);

}  // namespace railgauge

// `railgauge algorithm check` without its command line, so that tests can call them.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/commands/command.hpp"

namespace railgauge {

struct AlgorithmOptions {
  std::vector<std::string> files;
  std::string format = "text";  // or json
};

// Writes the judgement of each file to `to`. 0 when all are right, 1 when one is wrong, 2 when one cannot be read.
int run_algorithm_check(const AlgorithmOptions& options, std::FILE* to);

// Add `show` and `convert` to the command; `action` outlives the parsing and the action.
void add_algorithm_show(CLI::App& algorithm, Action& action);
void add_algorithm_convert(CLI::App& algorithm, Action& action);

}  // namespace railgauge

// Options from the environment and from a file: what the command line leaves open, they say. RAILGAUGE_BENCH_RANKS=4 and, in the
// file of --config,
//     [bench]
//     ranks = 4
// are --ranks 4 of `railgauge bench`. The command line wins, then the environment, then the file, then the program's own default.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/environment.hpp"

namespace railgauge::options {

// What one of them gives for one option.
struct Given {
  std::string option;   // the long name, without its dashes
  std::string command;  // "topo.check"
  std::vector<std::string> values;
  std::string source;  // the variable, or FILE:LINE
};

// "RAILGAUGE_TOPO_CHECK_NICS"; empty where an option cannot be given so: positionals, help, version, config and force.
[[nodiscard]] std::string variable_of(const CLI::App& command, const CLI::Option& option);

// What the environment says for any option of the program.
[[nodiscard]] std::vector<Given> read_environment(CLI::App& program, const Environment& environment);

// What the file says. Throws Error(usage) that names file and line for what is no option of ours.
[[nodiscard]] std::vector<Given> read_config(CLI::App& program, const std::string& path);

// Before the command line is read: options that are given so need not stand there.
void relax(CLI::App& program, const std::vector<Given>& given);

// After it was read: gives the command that was chosen what the command line left open, the first that says something for an
// option. Throws Error(usage) that names the source of a value that is wrong. Says what was taken, as NAME=VALUE.
std::vector<std::string> apply(CLI::App& command, const std::vector<Given>& given);

}  // namespace railgauge::options

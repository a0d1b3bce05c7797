// One rule for what commands write: a file that exists is refused before anything is done; with --force it is kept as FILE~, and
// the new one takes its place.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace railgauge::options {

// Adds --force to each command below `program` that has --output or --save, and makes /dev/stdout mean "-" there.
void add_force(CLI::App& program);

// For the command that was chosen. Throws Error(usage) that names the file.
void make_way(const CLI::App& command);

}  // namespace railgauge::options

// Manual pages in roff, and the grammar of the options as JSON, made from the program's options alone.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace railgauge::options {

// The page of `command`, which stands below the program at any depth or is the program itself.
[[nodiscard]] std::string manual(CLI::App& command);
// "railgauge-topo-check"
[[nodiscard]] std::string page_name(const CLI::App& command);
// Every command with its options: kind, bounds, choices, default, variable. For tests that draw command lines.
[[nodiscard]] std::string grammar(CLI::App& program);

}  // namespace railgauge::options

// Scripts that complete commands, options and their values in a shell, made from the program's options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace railgauge::options {

[[nodiscard]] const std::vector<std::string>& shells();  // bash, zsh, fish

// The script for one of them.
[[nodiscard]] std::string completion(CLI::App& program, const std::string& shell);

}  // namespace railgauge::options

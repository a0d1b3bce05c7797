// A command line that cannot be read, in one sentence that names the option and what is expected.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace railgauge::options {

// The command that the words chose, innermost last: the program itself where none was.
[[nodiscard]] std::vector<CLI::App*> chosen(CLI::App& program);

// "--ranks 0: expected a whole number from 1 to 4096".
[[nodiscard]] std::string refusal(const CLI::Option& option, const std::string& value);

// What CLI11 found wrong, in our words.
[[nodiscard]] Error sentence_of(const CLI::ParseError& error, CLI::App& program);

// The command of this name below `command`; null where there is none.
[[nodiscard]] CLI::App* below(CLI::App& command, const std::string& name);

// Names of the commands and options of `command` that help shows.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& command);
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& command);

}  // namespace railgauge::options

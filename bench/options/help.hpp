// The help of every command: lines of at most 100 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace railgauge::options {

constexpr std::size_t help_columns = 100;

// Breaks a text between words; lines after the first begin with `indent` blanks. A word that is longer than a line stays whole.
[[nodiscard]] std::string wrap(const std::string& text, std::size_t indent, std::size_t columns = help_columns);

class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace railgauge::options

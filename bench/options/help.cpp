// Two columns: names of options, and what they do.
#include "bench/options/help.hpp"

#include <fmt/format.h>

#include <sstream>

#include "bench/options/values.hpp"

namespace railgauge::options {
namespace {

constexpr std::size_t second_column = 28;

std::string two_columns(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  if (text.empty()) return line + "\n";
  if (line.size() + 2 > second_column)
    line += "\n" + std::string(second_column, ' ');
  else
    line.resize(second_column, ' ');
  return line + wrap(text, second_column) + "\n";
}

// "-o,--output FILE"
std::string names_of(const CLI::Option& option, bool is_positional) {
  const std::string word = value_word(option);
  return is_positional ? option.get_name(true) : option.get_name(false, true) + (word.empty() ? "" : " " + word);
}

std::string text_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (const std::string usual = untold_default(option); !usual.empty()) text += fmt::format(" (default {})", usual);
  if (option.get_required()) text += " (required)";
  for (const CLI::Option* const other : option.get_needs()) text += fmt::format(" (with {})", name_of(*other));
  return text;
}

}  // namespace

std::string wrap(const std::string& text, std::size_t indent, std::size_t columns) {
  std::istringstream words(text);
  std::string wrapped;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    const bool first = wrapped.empty();
    if (!first && column + 1 + word.size() > columns) {
      wrapped += "\n" + std::string(indent, ' ') + word;
      column = indent + word.size();
    } else {
      wrapped += (first ? "" : " ") + word;
      column += word.size() + (first ? 0 : 1);
    }
  }
  return wrapped;
}

std::string Help::make_usage(const CLI::App* app, std::string name) const {
  return wrap(CLI::Formatter::make_usage(app, std::move(name)), 0) + "\n";
}

std::string Help::make_option(const CLI::Option* option, bool is_positional) const {
  return two_columns(names_of(*option, is_positional), text_of(*option));
}

std::string Help::make_subcommand(const CLI::App* command) const {
  return two_columns(command->get_name(), command->get_description());
}

std::string Help::make_description(const CLI::App* app) const { return wrap(app->get_description(), 0) + "\n"; }

// An example that is too long for a line has what it is for below it.
std::string Help::make_footer(const CLI::App* app) const {
  std::istringstream lines(app->get_footer());
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t gap = line.find("  ", line.find_first_not_of(' '));
    if (line.size() > help_columns && gap != std::string::npos)
      line = line.substr(0, gap) + "\n" + std::string(6, ' ') + wrap(line.substr(line.find_first_not_of(' ', gap)), 6);
    text += line + "\n";
  }
  return text;
}

}  // namespace railgauge::options

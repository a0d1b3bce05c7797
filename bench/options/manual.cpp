// A page is made of the macros of man(7).
#include "bench/options/manual.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "base/version.hpp"
#include "bench/options/defaults.hpp"
#include "bench/options/sentence.hpp"
#include "bench/options/values.hpp"

namespace railgauge::options {
namespace {

// docs/exit-codes.md has the same sentences.
struct Code {
  std::string_view code, meaning;
};
constexpr std::array codes{
    Code{"0", "it was done; a skipped or not-converged point is marked in the results"},
    Code{"1", "less than expected, or regressed"},
    Code{"2", "the command line, the launch or the set-up is wrong: one sentence on stderr says what to change"},
    Code{"3", "two things that must not be compared"},
    Code{"4", "no verdict: the samples did not converge, launches are too few or too different, or a case is missing"},
    Code{"5", "interrupted, or a rank was lost (it ended, or is stopped): finished results are kept"},
    Code{"6", "wrong data: an element differs from what the collective must give"},
};

// Text in which nothing is a request or an escape of roff.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'' && (result.empty() || result.back() == '\n'))
      result += "\\(aq";
    else if (c == '.' && (result.empty() || result.back() == '\n'))
      result += "\\&.";
    else
      result += c;
  }
  return result;
}

std::string words_to(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name() : words_to(*command.get_parent()) + " " + command.get_name();
}

std::string option_paragraph(const CLI::App& command, const CLI::Option& option) {
  std::vector<std::string> names;
  const std::string word = value_word(option);
  for (const std::string& name : option.get_snames()) names.push_back("\\fB\\-" + roff(name) + "\\fR");
  for (const std::string& name : option.get_lnames()) names.push_back("\\fB" + roff("--" + name) + "\\fR");
  if (option.get_positional()) names = {"\\fI" + roff(option.get_name(true)) + "\\fR"};
  std::string text = ".TP\n" + CLI::detail::join(names, ", ");
  if (!word.empty() && !option.get_positional()) text += " \\fI" + roff(word) + "\\fR";
  text += "\n" + roff(option.get_description()) + ".\n";
  const Value value = value_of(const_cast<CLI::Option&>(option));
  if (const std::string usual = untold_default(option); !usual.empty()) text += "Default: " + roff(usual) + ".\n";
  if (option.get_required()) text += "It must be given.\n";
  if (value.kind == Kind::choice) text += "Choices: " + roff(CLI::detail::join(value.choices, ", ")) + ".\n";
  if (value.kind == Kind::whole && !value.least.empty())
    text += "Expected: " + roff(expected(const_cast<CLI::Option&>(option))) + ".\n";
  if (const std::string variable = variable_of(command, option); !variable.empty())
    text += "Environment: \\fB" + roff(variable) + "\\fR.\n";
  return text;
}

std::string options_section(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* const option : command.get_options())
    if (!option->get_group().empty() && option->get_positional()) text += option_paragraph(command, *option);
  if (!text.empty()) text = ".SH ARGUMENTS\n" + text;
  text += ".SH OPTIONS\n";
  for (const CLI::Option* const option : command.get_options())
    if (!option->get_group().empty() && option->nonpositional()) text += option_paragraph(command, *option);
  return text;
}

std::string commands_section(const CLI::App& command) {
  std::string text;
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App* its) { return !its->get_group().empty(); }))
    text += ".TP\n\\fB" + roff(one->get_name()) + "\\fR\n" + roff(one->get_description()) + ".\n";
  return text.empty() ? text : ".SH COMMANDS\n" + text;
}

std::string examples_section(const CLI::App& command) {
  std::istringstream lines(command.get_footer());
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) text += roff(line.substr(2)) + "\n";
  return text.empty() ? text : ".SH EXAMPLES\n.nf\n" + text + ".fi\n";
}

std::string see_also(const CLI::App& command) {
  std::vector<std::string> pages;
  if (command.get_parent() != nullptr) pages.push_back(page_name(*command.get_parent()));
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App* its) { return !its->get_group().empty(); }))
    pages.push_back(page_name(*one));
  std::string text = ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < pages.size(); ++i)
    text += ".BR " + roff(pages[i]) + " (1)" + (i + 1 < pages.size() ? "," : "") + "\n";
  return text;
}

nlohmann::ordered_json described(const CLI::App& command, CLI::Option& option) {
  constexpr std::array kinds{"text", "whole", "number", "flag", "time", "share", "choice", "size"};
  const Value value = value_of(option);
  nlohmann::ordered_json json{{"name", name_of(option)},
                              {"kind", kinds.at(static_cast<std::size_t>(value.kind))},
                              {"positional", option.get_positional()},
                              {"required", option.get_required()},
                              {"list", option.get_delimiter() != '\0'},
                              {"default", default_of(option)},
                              {"variable", variable_of(command, option)}};
  if (!value.least.empty()) json["least"] = value.least;
  if (!value.most.empty()) json["most"] = value.most;
  if (!value.choices.empty()) json["choices"] = value.choices;
  return json;
}

nlohmann::ordered_json described(CLI::App& command) {
  nlohmann::ordered_json json{{"name", command.get_name()}, {"options", nlohmann::ordered_json::array()}};
  for (CLI::Option* const option : command.get_options()) json["options"].push_back(described(command, *option));
  json["commands"] = nlohmann::ordered_json::array();
  for (CLI::App* const one : command.get_subcommands([](CLI::App*) { return true; })) json["commands"].push_back(described(*one));
  return json;
}

}  // namespace

std::string page_name(const CLI::App& command) { return CLI::detail::find_and_replace(words_to(command), " ", "-"); }

std::string manual(CLI::App& command) {
  const std::string name = page_name(command), words = words_to(command);
  std::string synopsis = "\\fB" + roff(words) + "\\fR [\\fIOPTIONS\\fR]";
  for (const CLI::Option* const option : command.get_options())
    if (option->get_positional() && !option->get_group().empty())
      synopsis += option->get_required() ? " \\fI" + roff(option->get_name(true)) + "\\fR"
                                         : " [\\fI" + roff(option->get_name(true)) + "\\fR]";
  if (!command_names(command).empty())
    synopsis += command.get_require_subcommand_min() == 0 ? " [\\fICOMMAND\\fR]" : " \\fICOMMAND\\fR";
  std::string text = fmt::format(".TH {} 1 \"\" \"railgauge {}\" \"User Commands\"\n", CLI::detail::to_lower(name), version());
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.get_description()));
  text += ".SH SYNOPSIS\n" + synopsis + "\n.SH DESCRIPTION\n" + roff(command.get_description()) + ".\n";
  text += commands_section(command) + options_section(command);
  text += ".SH EXIT STATUS\n";
  for (const Code& code : codes) text += fmt::format(".TP\n.B {}\n{}.\n", code.code, roff(std::string(code.meaning)));
  return text + examples_section(command) + see_also(command);
}

std::string grammar(CLI::App& program) { return described(program).dump() + "\n"; }

}  // namespace railgauge::options

// CLI11 says what kind of mistake it was by the type of its exception; which option, the words that it has kept say.
#include "bench/options/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/options/nearest.hpp"
#include "bench/options/values.hpp"

namespace railgauge::options {
namespace {

std::string help_of(const std::vector<CLI::App*>& chain) {
  std::string words;
  for (const CLI::App* const command : chain) words += command->get_name() + " ";
  return " (" + words + "--help)";
}

std::string list_of(const std::vector<std::string>& names) { return CLI::detail::join(names, ", "); }

// The option that the exception is about: its own name stands in the text, the longest such name wins.
CLI::Option* option_of(const std::string& text, const std::vector<CLI::App*>& chain) {
  CLI::Option* found = nullptr;
  std::size_t longest = 0;
  for (CLI::App* const command : chain)
    for (CLI::Option* const option : command->get_options()) {
      const std::string name = option->get_name();
      if (name.size() > longest && text.find(name) != std::string::npos) {
        found = option;
        longest = name.size();
      }
    }
  return found;
}

// The first of its values that its checks refuse; the last where only the type did.
std::string wrong_value(CLI::Option& option) {
  const std::vector<std::string> values = option.results();
  try {
    CLI::Validator& check = *option.get_validator(0);
    for (std::string value : values)
      if (!check(value).empty()) return value;
  } catch (const CLI::OptionNotFound&) {
    // It has none.
  }
  return values.empty() ? std::string() : values.back();
}

// The words that no command of the chain takes.
std::vector<std::string> extra_of(const std::vector<CLI::App*>& chain) {
  std::vector<std::string> extra;
  for (auto command = chain.rbegin(); command != chain.rend() && extra.empty(); ++command) extra = (*command)->remaining();
  return extra;
}

std::string extra_words(const std::vector<CLI::App*>& chain) {
  const std::vector<std::string> extra = extra_of(chain);
  if (extra.empty()) return "there is a word too many";
  const std::string& first = extra.front();
  const std::string name = first.substr(0, first.find('='));
  if (name.starts_with("-") && name.size() > 1)
    return fmt::format("there is no option {}{}", typed(name), did_you_mean(name, option_names(*chain.back())));
  if (const auto known = command_names(*chain.back()); !known.empty()) {
    const std::string meant = did_you_mean(first, known);
    return fmt::format("there is no command {}{}", typed(first), meant.empty() ? ": choose one of " + list_of(known) : meant);
  }
  return fmt::format("{} is one word too many", typed(first));
}

// What is written wrong is told before what is missing: an option that does not exist may be the one that was meant.
std::string missing(const std::string& text, const std::vector<CLI::App*>& chain) {
  const std::vector<std::string> extra = extra_of(chain);
  const bool options = !extra.empty() && extra.front().size() > 1 && extra.front().starts_with("-");
  if (options || (!command_names(*chain.back()).empty() && !chain.front()->remaining(true).empty())) return extra_words(chain);
  for (CLI::Option* const option : chain.back()->get_options())
    if (option->get_required() && option->count() == 0)
      return fmt::format("{} is missing: {}", name_of(*option), option->get_description());
  if (const auto known = command_names(*chain.back()); !known.empty() && text.find("ubcommand") != std::string::npos)
    return "a command is missing: choose one of " + list_of(known);
  return text;
}

}  // namespace

std::vector<CLI::App*> chosen(CLI::App& program) {
  std::vector<CLI::App*> chain{&program};
  while (!chain.back()->get_subcommands().empty()) chain.push_back(chain.back()->get_subcommands().back());
  return chain;
}

std::string refusal(const CLI::Option& option, const std::string& value) {
  auto& its = const_cast<CLI::Option&>(option);  // CLI11 hands checks out of options that may be written alone
  const std::string name = name_of(option), word = typed(value);
  const Value kind = value_of(its);
  if (kind.kind == Kind::choice)
    return fmt::format("{} {} is unknown: choose from {}{}", name, word, list_of(kind.choices),
                       did_you_mean(value, kind.choices));
  return fmt::format("{} {}: expected {}", name, word, expected(its));
}

Error sentence_of(const CLI::ParseError& error, CLI::App& program) {
  const std::vector<CLI::App*> chain = chosen(program);
  const std::string text = error.what();
  CLI::Option* const option = option_of(text, chain);
  std::string sentence = text;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    sentence = extra_words(chain);
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    sentence = missing(text, chain);
  } else if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr && option != nullptr && !option->get_excludes().empty()) {
    const auto& others = option->get_excludes();
    const auto given = std::find_if(others.begin(), others.end(), [](const CLI::Option* other) { return other->count() != 0; });
    sentence = fmt::format("{} and {} exclude each other", name_of(*option),
                           name_of(given == others.end() ? **others.begin() : **given));
  } else if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
    for (CLI::Option* const one : chain.back()->get_options())
      for (const CLI::Option* const needed : one->get_needs())
        if (one->count() != 0 && needed->count() == 0)
          sentence = fmt::format("{} is only for {}: give both", name_of(*one), name_of(*needed));
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && option != nullptr) {
    sentence = option->get_items_expected_max() == 0
                   ? fmt::format("{} takes no value: expected the option alone", name_of(*option))
                   : fmt::format("{} has no value: expected {}", name_of(*option), expected(*option));
  } else if (option != nullptr) {
    sentence = refusal(*option, wrong_value(*option));
  }
  return {Fault::usage, sentence + help_of(chain)};
}

CLI::App* below(CLI::App& command, const std::string& name) {
  const auto found = command.get_subcommands([&](CLI::App* one) { return one->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App* its) { return !its->get_group().empty(); }))
    names.push_back(one->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace railgauge::options

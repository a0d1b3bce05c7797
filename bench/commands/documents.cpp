// railgauge help, version, completion and manual: what is made of the options themselves.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/build_facts.hpp"
#include "base/error.hpp"
#include "base/output/print.hpp"
#include "bench/commands/command.hpp"
#include "bench/options/completion.hpp"
#include "bench/options/manual.hpp"
#include "bench/options/nearest.hpp"
#include "bench/options/sentence.hpp"
#include "bench/options/values.hpp"

namespace railgauge {

AddCommand add_help, add_version, add_completion, add_manual;

namespace {

constexpr const char* hidden = "";

CLI::App& find(CLI::App& program, const std::vector<std::string>& words) {
  CLI::App* command = &program;
  for (const std::string& word : words) {
    CLI::App* const next = options::below(*command, word);
    if (next == nullptr)
      throw Error(Fault::usage, "there is no command " + options::typed(word) +
                                    options::did_you_mean(word, options::command_names(*command)) + " (railgauge --help)");
    command = next;
  }
  return *command;
}

// The command of a page, "railgauge-topo-check"; nullptr where there is none.
CLI::App* find_page(CLI::App& command, const std::string& page) {
  if (options::page_name(command) == page) return &command;
  for (CLI::App* const one : command.get_subcommands([](CLI::App*) { return true; }))
    if (CLI::App* const found = find_page(*one, page)) return found;
  return nullptr;
}

std::string help_of(const CLI::App& command) {
  std::string before;
  for (const CLI::App* one = command.get_parent(); one != nullptr; one = one->get_parent())
    before = one->get_name() + " " + before;
  // The name stands behind what is before it; App::help would go on into commands that were chosen.
  return command.get_formatter()->make_help(&command, before + command.get_name(), CLI::AppFormatMode::Normal);
}

std::vector<std::string> pages_of(const CLI::App& command) {
  std::vector<std::string> pages;
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App* its) { return !its->get_group().empty(); })) {
    pages.push_back(options::page_name(*one));
    for (std::string& page : pages_of(*one)) pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace

void add_help(CLI::App& program, const Invocation&, Action& action) {
  CLI::App* command = program.add_subcommand("help", "Print the help of a command")->group(hidden);
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "The command, such as topo check");
  command->callback([&program, words, &action] {
    action = [&program, words] {
      print(help_of(find(program, *words)), stdout);
      return 0;
    };
  });
  command->footer("Examples:\n  railgauge help\n  railgauge help bench\n  railgauge help topo check\n");
}

void add_version(CLI::App& program, const Invocation& invocation, Action& action) {
  CLI::App* command = program.add_subcommand("version", "Print the version")->group(hidden);
  command->callback([&invocation, &action] {
    action = [&invocation] {
      print(version_text(build_facts(), invocation.plugin_folders) + "\n", stdout);
      return 0;
    };
  });
  command->footer("Examples:\n  railgauge version\n  railgauge --version\n  railgauge -V\n");
}

void add_completion(CLI::App& program, const Invocation&, Action& action) {
  CLI::App* command = program.add_subcommand("completion", "Print a script that completes commands and options in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(options::one_of(options::shells()));
  command->callback([&program, shell, &action] {
    action = [&program, shell] {
      print(options::completion(program, *shell), stdout);
      return 0;
    };
  });
  command->footer(
      "Examples:\n"
      "  source <(railgauge completion bash)\n"
      "  railgauge completion zsh > ~/.zsh/completions/_railgauge\n"
      "  railgauge completion fish > ~/.config/fish/completions/railgauge.fish\n");
}

void add_manual(CLI::App& program, const Invocation&, Action& action) {
  struct Given {
    std::vector<std::string> words;
    bool pages = false, grammar = false;
  };
  CLI::App* command = program.add_subcommand("manual", "Print the manual page of a command")->group(hidden);
  const auto given = std::make_shared<Given>();
  command->add_option("COMMAND", given->words, "The command, such as topo check, or its page, such as railgauge-topo-check");
  command->add_flag("--pages", given->pages, "Print the names of all pages");
  command->add_flag("--grammar", given->grammar, "Print every command and option as JSON");
  command->callback([&program, given, &action] {
    action = [&program, given] {
      std::string text;
      if (given->grammar)
        text = options::grammar(program);
      else if (CLI::App* const page = given->words.size() == 1 ? find_page(program, given->words.front()) : nullptr)
        text = options::manual(*page);
      else if (!given->pages)
        text = options::manual(find(program, given->words));
      else
        for (const std::string& each : pages_of(program)) text += each + "\n";
      print(text, stdout);
      return 0;
    };
  });
  command->footer(
      "Examples:\n  railgauge manual | man -l -\n  railgauge manual topo check | man -l -\n  railgauge manual --pages\n");
}

}  // namespace railgauge

// Habits that every command has stand here once.
#include "bench/commands/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/build_facts.hpp"
#include "base/error.hpp"
#include "base/output/print.hpp"
#include "base/version.hpp"
#include "bench/options/defaults.hpp"
#include "bench/options/existing.hpp"
#include "bench/options/help.hpp"
#include "bench/options/sentence.hpp"
#include "bench/options/values.hpp"

namespace railgauge {
namespace {

constexpr const char* config_variable = "RAILGAUGE_CONFIG";

// The last one of an option wins that takes a single value; lists stay lists.
void set_habits(CLI::App& command) {
  for (CLI::Option* const option : command.get_options())
    if (option->get_expected_max() <= 1 && !option->get_positional())
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  // CLI11 takes a number that no type holds for the largest one.
  for (CLI::Option* const option : command.get_options())
    if (const options::Value value = options::value_of(*option);
        value.kind == options::Kind::whole && value.least == "0" && value.most.empty())
      option->check(options::whole(0, std::numeric_limits<std::uint64_t>::max()));
  if (command.get_help_ptr() != nullptr) command.get_help_ptr()->description("Print this help");
  for (CLI::App* const one : command.get_subcommands([](CLI::App*) { return true; })) set_habits(*one);
}

// `railgauge bench help` is `railgauge bench --help`, unless there is a file of that name that it could mean.
void help_at_the_end(CLI::App& program, std::vector<std::string>& words) {
  if (words.size() < 2 || words.back() != "help" || words.front() == "help" || words.front() == "manual" ||
      std::filesystem::exists("help"))
    return;
  CLI::App* command = &program;
  for (std::size_t i = 0; i + 1 < words.size() && command != nullptr; ++i) command = options::below(*command, words[i]);
  if (command != nullptr) words.back() = "--help";
}

// The file of --config is to be known before the rest of the command line is read.
std::string config_of(const std::vector<std::string>& words, const Invocation& invocation) {
  constexpr std::string_view name = "--config";
  std::string path;
  if (const auto found = invocation.environment.find(config_variable); found != invocation.environment.end())
    path = found->second;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == name && i + 1 < words.size()) path = words[i + 1];
    if (words[i].starts_with(std::string(name) + "=")) path = words[i].substr(name.size() + 1);
  }
  return path;
}

}  // namespace

std::unique_ptr<CLI::App> make_program(const Invocation& invocation, Action& action) {
  auto program = std::make_unique<CLI::App>(
      "Maps every link of a GPU cluster, says what each should carry, and measures what it does carry", "railgauge");
  program->formatter(std::make_shared<options::Help>());
  program->set_version_flag("-V,--version", "railgauge " + std::string(version()), "Print the version");
  program->add_option("--config", "Options from this file (docs/options.md); default: RAILGAUGE_CONFIG")->option_text("FILE");
  program->require_subcommand(1);
  program->fallthrough();  // --config may stand behind the command too
  for (AddCommand* const add : commands()) add(*program, invocation, action);
  program->footer("Start here:\n  railgauge topo\n  railgauge bench\n  railgauge list transports\n");
  options::add_force(*program);
  set_habits(*program);
  for (CLI::App* const command : program->get_subcommands([](CLI::App*) { return true; })) command->fallthrough();
  return program;
}

int run_program(int argc, char** argv, Invocation& invocation) {
  Action action;
  const std::unique_ptr<CLI::App> program = make_program(invocation, action);
  std::vector<std::string> words(argv + 1, argv + argc);
  help_at_the_end(*program, words);
  std::vector<options::Given> given = options::read_environment(*program, environment_of(invocation));
  if (const std::string path = config_of(words, invocation); !path.empty())
    for (options::Given& one : options::read_config(*program, path)) given.push_back(std::move(one));
  options::relax(*program, given);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    program->parse(std::move(words));
  } catch (const CLI::CallForVersion&) {
    print(version_text(build_facts(), invocation.plugin_folders) + "\n", stdout);
    return 0;
  } catch (const CLI::Success&) {
    print(program->help(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) { throw options::sentence_of(error, *program); }
  for (const std::string& taken : options::apply(*options::chosen(*program).back(), given)) invocation.arguments += " " + taken;
  options::make_way(*options::chosen(*program).back());
  return action();
}

}  // namespace railgauge

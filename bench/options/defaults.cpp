// The file is read by CLI11, which forgets where in it something stood: lines are looked up again for a sentence.
#include "bench/options/defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "bench/options/nearest.hpp"
#include "bench/options/sentence.hpp"
#include "bench/options/values.hpp"

namespace railgauge::options {
namespace {

constexpr const char* not_from_outside[] = {"help", "version", "config", "force"};

std::string path_of(const CLI::App& command, char separator) {
  std::string path;
  for (const CLI::App* one = &command; one->get_parent() != nullptr; one = one->get_parent())
    path = one->get_name() + (path.empty() ? "" : separator + path);
  return path;
}

void each_command(CLI::App& command, const std::function<void(CLI::App&)>& visit) {
  visit(command);
  for (CLI::App* const one : command.get_subcommands([](CLI::App*) { return true; })) each_command(*one, visit);
}

CLI::App* find_command(CLI::App& program, const std::vector<std::string>& names) {
  CLI::App* command = &program;
  for (const std::string& name : names) {
    command = below(*command, name);
    if (command == nullptr) return nullptr;
  }
  return command;
}

bool can_be_given(const CLI::App& command, const CLI::Option& option) { return !variable_of(command, option).empty(); }

std::vector<std::string> names_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options())
    if (can_be_given(command, *option)) names.push_back(option->get_lnames().front());
  return names;
}

// The number of the line on which the section has this name; 0 where it cannot be found.
std::size_t line_of(const std::string& text, const std::string& section, const std::string& name) {
  std::istringstream lines(text);
  std::string current;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    CLI::detail::trim(line);
    if (line.size() > 2 && line.front() == '[' && line.back() == ']') current = line.substr(1, line.size() - 2);
    std::string key = line.substr(0, line.find('='));
    CLI::detail::trim(key);
    if ((current == section && key == name) || (current.empty() && key == section + "." + name)) return number;
  }
  return 0;
}

std::string text_of(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(Fault::usage, fmt::format("--config {} is a folder: expected a file of options (docs/options.md)", typed(path)));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Fault::usage, fmt::format("--config {}: {}", typed(path), std::generic_category().message(errno)));
  constexpr std::size_t most = 1U << 20U;
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || text.size() == most || text.find('\0') != std::string::npos)
    throw Error(Fault::usage, fmt::format("--config {} is no file of options: expected lines such as ranks = 4 (docs/options.md)",
                                          typed(path)));
  return text;
}

std::vector<CLI::ConfigItem> items_of(const std::string& text, const std::string& path) {
  std::istringstream stream(text);
  try {
    return CLI::ConfigTOML().from_config(stream);
  } catch (const std::exception&) {
    throw Error(Fault::usage, fmt::format("--config {} is no file of options: expected lines such as ranks = 4 (docs/options.md)",
                                          typed(path)));
  }
}

bool truth(const std::string& text, const std::string& what) {
  for (const char* const yes : {"true", "on", "yes", "1"})
    if (text == yes) return true;
  for (const char* const no : {"false", "off", "no", "0"})
    if (text == no) return false;
  throw Error(Fault::usage, fmt::format("{} {}: expected true or false", what, typed(text)));
}

void take(CLI::Option& option, const Given& given) {
  const bool flag = option.get_items_expected_max() == 0;
  if (flag && !truth(given.values.back(), given.source + ": --" + given.option)) return;
  try {
    if (flag)
      option.add_result("true");
    else
      for (const std::string& value : given.values) option.add_result(value);
    option.run_callback();
  } catch (const CLI::Error&) {
    throw Error(Fault::usage, given.source + ": " + refusal(option, CLI::detail::join(given.values, ",")));
  }
}

}  // namespace

std::string variable_of(const CLI::App& command, const CLI::Option& option) {
  if (option.get_lnames().empty() || option.get_positional() || command.get_parent() == nullptr) return {};
  for (const char* const name : not_from_outside)
    if (option.get_lnames().front() == name) return {};
  std::string variable = "RAILGAUGE_" + path_of(command, '_') + "_" + option.get_lnames().front();
  for (char& c : variable) c = c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return variable;
}

std::vector<Given> read_environment(CLI::App& program, const Environment& environment) {
  std::vector<Given> all;
  each_command(program, [&](CLI::App& command) {
    for (const CLI::Option* const option : command.get_options()) {
      const std::string variable = variable_of(command, *option);
      if (variable.empty()) continue;
      if (const auto value = environment(variable); value && !value->empty())
        all.push_back({option->get_lnames().front(), path_of(command, '.'), {*value}, variable});
    }
  });
  return all;
}

std::vector<Given> read_config(CLI::App& program, const std::string& path) {
  std::vector<Given> all;
  const std::string text = text_of(path);
  for (const CLI::ConfigItem& item : items_of(text, path)) {
    if (item.name == "++" || item.name == "--") continue;  // CLI11's marks of where a section begins and ends
    const std::string section = CLI::detail::join(item.parents, ".");
    const std::string where = fmt::format("{}:{}", path, line_of(text, section, item.name));
    CLI::App* const command = find_command(program, item.parents);
    if (command == nullptr || command == &program)
      throw Error(Fault::usage,
                  fmt::format("{}: {} {}: expected a section such as [bench] or [topo.check] before it", where, typed(item.name),
                              command == nullptr ? "is of no command of ours, [" + typed(section) + "]" : "is of no command"));
    const std::vector<std::string> names = names_of(*command);
    if (std::find(names.begin(), names.end(), item.name) == names.end())
      throw Error(Fault::usage, fmt::format("{}: there is no option {} in [{}]{}", where, typed(item.name), section,
                                            did_you_mean(item.name, names)));
    all.push_back({item.name, section, item.inputs, where});
  }
  return all;
}

void relax(CLI::App& program, const std::vector<Given>& given) {
  for (const Given& one : given)
    if (CLI::App* const command = find_command(program, CLI::detail::split(one.command, '.')); command != nullptr)
      command->get_option("--" + one.option)->required(false);
}

std::vector<std::string> apply(CLI::App& command, const std::vector<Given>& given) {
  std::vector<std::string> taken;
  const std::string path = path_of(command, '.');
  std::set<std::string> seen;  // a flag that the environment denies is not to be set by the file
  for (const Given& one : given) {
    if (one.command != path || !seen.insert(one.option).second) continue;
    CLI::Option& option = *command.get_option("--" + one.option);
    if (option.count() != 0) continue;
    take(option, one);
    taken.push_back(one.source + "=" + CLI::detail::join(one.values, ","));
  }
  return taken;
}

}  // namespace railgauge::options

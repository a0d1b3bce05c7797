// All three scripts walk the words to the command that they choose, and then ask one table: what follows it, or one of its
// options.
#include "bench/options/completion.hpp"

#include <fmt/format.h>

#include "bench/options/sentence.hpp"
#include "bench/options/values.hpp"

namespace railgauge::options {
namespace {

// A command by its path, "railgauge topo check".
struct CommandRow {
  std::string path;
  CLI::App* command;
};

std::vector<CommandRow> rows_of(CLI::App& program) {
  std::vector<CommandRow> rows{{program.get_name(), &program}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (CLI::App* const one : rows[i].command->get_subcommands([](CLI::App*) { return true; }))
      rows.push_back({rows[i].path + " " + one->get_name(), one});
  return rows;
}

std::string joined(const std::vector<std::string>& words) { return CLI::detail::join(words, " "); }

// What stands where no option waits for its value: commands and names that a positional may be.
std::string first_words(const CLI::App& command) {
  std::vector<std::string> words = command_names(command);
  for (const CLI::Option* const option : command.get_options())
    if (option->get_positional())
      for (const std::string& name : value_of(const_cast<CLI::Option&>(*option)).choices) words.push_back(name);
  return joined(words);
}

// "--ranks|-r", names of an option as a pattern of case.
std::string pattern_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return CLI::detail::join(names, "|");
}

// The lines of a case of bash or zsh over "$chosen": for each command its words, and for each option that takes a value its own.
std::string table(CLI::App& program) {
  std::string text = "  case $chosen in\n";
  for (const CommandRow& row : rows_of(program)) {
    text +=
        fmt::format("    '{}')\n      commands='{}'\n      options='{}'\n      first='{}'\n      case $previous in\n", row.path,
                    joined(command_names(*row.command)), joined(option_names(*row.command)), first_words(*row.command));
    for (CLI::Option* const option : row.command->get_options()) {
      const Value value = value_of(*option);
      if (option->get_positional() || value.kind == Kind::flag) continue;
      text += fmt::format("        {}) waits=yes values='{}' ;;\n", pattern_of(*option), joined(value.choices));
    }
    text += "      esac\n      ;;\n";
  }
  return text + "  esac\n";
}

std::string walk(CLI::App& program, const char* words, const char* begin, const char* before) {
  std::string cases;
  for (const CommandRow& row : rows_of(program))
    for (const CLI::App* const one : row.command->get_subcommands([](CLI::App*) { return true; }))
      cases += fmt::format("      '{0} {1}') chosen='{0} {1}' ;;\n", row.path, one->get_name());
  return fmt::format("  for ((i = {}; i < {}; ++i)); do\n    case \"$chosen ${{{}[i]}}\" in\n{}    esac\n  done\n", begin, before,
                     words, cases);
}

std::string bash(CLI::App& program) {
  return "# bash completion of railgauge; made by  railgauge completion bash\n"
         "_railgauge() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} chosen=railgauge\n"
         "  local i commands='' options='' first='' waits='' values='' list=''\n"
         "  COMPREPLY=()\n"
         "  if [ \"$current\" = = ]; then current=''; elif [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; "
         "fi\n" +
         walk(program, "COMP_WORDS", "1", "COMP_CWORD") + table(program) +
         "  if [ -n \"$waits\" ]; then\n"
         "    case $current in *,*) list=${current%,*}, ;; esac\n"
         "    [ -z \"$values\" ] || mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$values\" -- \"${current##*,}\")\n"
         "    return 0\n"
         "  fi\n"
         "  case $current in\n"
         "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\") ;;\n"
         "    *) mapfile -t COMPREPLY < <(compgen -W \"$first\" -- \"$current\") ;;\n"
         "  esac\n"
         "}\n"
         "complete -o default -F _railgauge railgauge\n";
}

std::string zsh(CLI::App& program) {
  return "#compdef railgauge\n"
         "# zsh completion of railgauge; made by  railgauge completion zsh\n"
         "_railgauge() {\n"
         "  local current=${words[CURRENT]} previous=${words[CURRENT-1]} chosen=railgauge\n"
         "  local i commands='' options='' first='' waits='' values=''\n" +
         walk(program, "words", "2", "CURRENT") + table(program) +
         "  if [[ -n $waits ]]; then\n"
         "    if [[ -n $values ]]; then _values -s , value ${=values}; else _files; fi\n"
         "  elif [[ $current == -* ]]; then\n"
         "    compadd -- ${=options}\n"
         "  else\n"
         "    [[ -z $first ]] || compadd -- ${=first}\n"
         "    _files\n"
         "  fi\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _railgauge ]; then _railgauge \"$@\"; else compdef _railgauge railgauge; fi\n";
}

// 'text' for fish, whose single quotes know two escapes.
std::string fish_quoted(const std::string& text) {
  return "'" + CLI::detail::find_and_replace(CLI::detail::find_and_replace(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish(CLI::App& program) {
  std::string text =
      "# fish completion of railgauge; made by  railgauge completion fish\n"
      "function __railgauge_path\n"
      "  set -l chosen railgauge\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$chosen $word\"\n";
  for (const CommandRow& row : rows_of(program))
    if (row.command != &program) text += fmt::format("      case '{0}'\n        set chosen '{0}'\n", row.path);
  text += "    end\n  end\n  test \"$chosen\" = \"$argv[1]\"\nend\n";
  for (const CommandRow& row : rows_of(program)) {
    const std::string when = fmt::format("complete -c railgauge -n \"__railgauge_path '{}'\"", row.path);
    for (const CLI::App* const one : row.command->get_subcommands([](CLI::App*) { return true; }))
      if (!one->get_group().empty())
        text += fmt::format("{} -a {} -d {}\n", when, one->get_name(), fish_quoted(one->get_description()));
    if (const std::string first = first_words(*row.command); !first.empty()) text += fmt::format("{} -a '{}'\n", when, first);
    for (CLI::Option* const option : row.command->get_options()) {
      if (option->get_positional() || option->get_group().empty()) continue;
      text += when;
      for (const std::string& name : option->get_lnames()) text += " -l " + name;
      for (const std::string& name : option->get_snames()) text += " -s " + name;
      const Value value = value_of(*option);
      if (value.kind != Kind::flag) text += value.choices.empty() ? " -r" : " -x -a '" + joined(value.choices) + "'";
      text += " -d " + fish_quoted(option->get_description()) + "\n";
    }
  }
  return text;
}

}  // namespace

const std::vector<std::string>& shells() {
  static const std::vector<std::string> names{"bash", "zsh", "fish"};
  return names;
}

std::string completion(CLI::App& program, const std::string& shell) {
  return shell == "zsh" ? zsh(program) : shell == "fish" ? fish(program) : bash(program);
}

}  // namespace railgauge::options

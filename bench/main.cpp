// railgauge: parse, dispatch, map a fault to an exit code.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "base/error.hpp"
#include "base/plugin.hpp"
#include "bench/command.hpp"

namespace {

railgauge::Surroundings look_around(int argc, char** argv) {
  railgauge::Surroundings surroundings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t equal = text.find('=');
    if (equal != std::string::npos) surroundings.environment[text.substr(0, equal)] = text.substr(equal + 1);
  }
  const auto value = [&](const char* name) {
    const auto found = surroundings.environment.find(name);
    return found == surroundings.environment.end() ? std::string() : found->second;
  };
  surroundings.plugin_folders = railgauge::plugin_folders(value("RAILGAUGE_PLUGIN_PATH"));
  surroundings.colour = value("NO_COLOR").empty() && value("TERM") != "dumb";
  for (int i = 1; i < argc; ++i) surroundings.arguments += (i == 1 ? "" : " ") + std::string(argv[i]);
  return surroundings;
}

}  // namespace

int main(int argc, char** argv) try {
  const railgauge::Surroundings surroundings = look_around(argc, argv);
  railgauge::Action action;
  CLI::App program("Maps every link of a GPU cluster, says what each should carry, and measures what it does carry.",
                   "railgauge");
  program.set_version_flag("--version", "railgauge " RAILGAUGE_VERSION);
  program.require_subcommand(1);
  railgauge::add_topo(program, surroundings, action);
  railgauge::add_bench(program, surroundings, action);
  railgauge::add_list(program, surroundings, action);
  program.footer("Start here:\n  railgauge topo\n  railgauge bench\n  railgauge list transports");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    std::string help = "railgauge";
    for (const CLI::App* command : program.get_subcommands()) help += " " + command->get_name();
    throw railgauge::Error(railgauge::Fault::usage, std::string(error.what()) + " (" + help + " --help)");
  }
  return action();
} catch (const railgauge::Error& error) {
  std::fprintf(stderr, "railgauge: %s\n", error.what());
  return static_cast<int>(error.fault());
} catch (const std::exception& error) {
  std::fprintf(stderr, "railgauge: %s\n", error.what());
  return static_cast<int>(railgauge::Fault::usage);
}

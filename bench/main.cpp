// railgauge: parse, dispatch, map a fault to an exit code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "base/build_facts.hpp"
#include "base/error.hpp"
#include "base/invocation.hpp"
#include "bench/commands/nccl_tests.hpp"

int main(int argc, char** argv) try {
  const railgauge::Invocation invocation = railgauge::read_invocation(argc, argv);
  if (railgauge::is_nccl_tests(argv[0])) return railgauge::run_nccl_tests(argc, argv, invocation);
  railgauge::Action action;
  CLI::App program("Maps every link of a GPU cluster, says what each should carry, and measures what it does carry.",
                   "railgauge");
  program.set_version_flag("--version",
                           [&] { return railgauge::version_text(railgauge::build_facts(), invocation.plugin_folders); });
  program.require_subcommand(1);
  for (railgauge::AddCommand* const add : railgauge::commands()) add(program, invocation, action);
  program.footer("Start here:\n  railgauge topo\n  railgauge bench\n  railgauge list transports");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    std::string help = "railgauge";
    for (const CLI::App* command = &program; !command->get_subcommands().empty();) {
      command = command->get_subcommands().front();
      help += " " + command->get_name();
    }
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

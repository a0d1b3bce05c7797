// The options of `railgauge gate`.
#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/program.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/compare.hpp"
#include "bench/commands/history.hpp"
#include "bench/gate/gate.hpp"
#include "bench/interleave/launches.hpp"
#include "bench/options/values.hpp"

namespace railgauge {
namespace {

constexpr const char* gate_examples =
    "Examples:\n"
    "  railgauge gate --history runs.db -- bench all_reduce --ranks 2 --bytes 256K:4M\n"
    "  railgauge gate --control ./accepted/railgauge -o gate.xml -o gate.html -- bench all_reduce\n"
    "  railgauge gate --history runs.db -- mpirun -n 2 railgauge bench all_reduce   any command to which -o FILE can be added\n";

struct Given {
  GateOptions options;
  std::string deadline = default_launch_deadline;
};

std::string first_of(const Invocation& invocation, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto found = invocation.environment.find(name); found != invocation.environment.end() && !found->second.empty())
      return found->second;
  return {};
}

GateOptions options_of(const Given& given, const Invocation& invocation) {
  GateOptions options = given.options;
  if (options.command.empty())
    throw Error(Fault::usage, "there is nothing to run: name it behind --, as in  railgauge gate -- bench all_reduce --ranks 2");
  options.command = with_program(options.command, program_file(environment_of(invocation)));
  options.deadline = parse_seconds(given.deadline);
  if (!(options.deadline.count() > 0)) throw Error(Fault::usage, "--deadline " + given.deadline + ": more than 0 is needed");
  if (options.history.empty()) options.history = default_history_path(environment_of(invocation), true);
  constexpr std::size_t short_commit = 12;
  if (options.label.empty()) options.label = first_of(invocation, {"GITHUB_SHA", "CI_COMMIT_SHA"}).substr(0, short_commit);
  options.annotate = first_of(invocation, {"GITHUB_ACTIONS"}) == "true";
  options.step_summary = first_of(invocation, {"GITHUB_STEP_SUMMARY"});
  options.now = std::time(nullptr);
  return options;
}

}  // namespace

void add_gate(CLI::App& program, const Invocation& invocation, Action& action) {
  const auto given = std::make_shared<Given>();  // lives as long as the parser and the action
  GateOptions& options = given->options;
  CLI::App* command = program.add_subcommand(
      "gate", "Stop a pipeline whose change made something slower; 0 passed, 1 regressed, 4 no verdict, 6 wrong data");
  command->add_option("--control", options.control,
                      "The accepted build, launched interleaved with the new one: what is slower is slower than it. A program, a "
                      "folder that has one, or a "
                      "command in quotes such as 'env LD_LIBRARY_PATH=old railgauge'; where there is no such file yet, the run "
                      "passes and says how to keep one");
  command->add_option("--history", options.history,
                      "The runs so far: a file, or postgresql://...; made where it is missing (default "
                      "~/.local/share/railgauge/history.db)");
  command->add_option("--label", options.label, "What is measured, such as a commit (default GITHUB_SHA or CI_COMMIT_SHA)");
  command
      ->add_option("-o,--output", options.outputs,
                   "Write JUnit XML (.xml), Markdown (.md), the verdict for programs (.json), a page (.html) or all results "
                   "(.jsonl); may be repeated")
      ->allow_extra_args(false);
  command->add_option("--deadline", given->deadline, "Of each launch, which is ended then")
      ->check(options::a_time())
      ->capture_default_str();
  command->add_flag("--strict", options.strict,
                    "Exit with 4 while the history is too short to judge by, or there is no control yet");
  command->add_option("COMMAND", options.command,
                      "Behind --: bench and its options, or another command that runs railgauge bench");
  command->footer(gate_examples);
  command->callback([given, &invocation, &action] {
    action = [given, &invocation] { return run_gate(options_of(*given, invocation), stdout); };
  });
}

}  // namespace railgauge

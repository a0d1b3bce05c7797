// The options of `railgauge bench copy`, which are its own: most of those of collectives mean nothing here, and are refused.
#include "bench/commands/bench_copy.hpp"

#include <memory>

#include "base/error.hpp"
#include "bench/commands/bench_times.hpp"
#include "bench/copy/run.hpp"
#include "bench/options/values.hpp"
#include "bench/run/outputs.hpp"

namespace railgauge {
namespace {

constexpr const char* longest = "5s";

struct Given {
  CopyRun run;
  std::string expect;
  GivenTimes times;
};

CopyRun run_of(const Given& given, const CLI::App& bench) {
  for (const CLI::Option* const option : bench.get_options())
    if (option->count() != 0)
      throw Error(Fault::usage, option->get_positional() ? "copy is measured alone, and not beside " + option->results().front()
                                                         : option->get_name() +
                                                               " stands before copy: options of bench copy stand behind it "
                                                               "(railgauge bench copy --help)");
  CopyRun run = given.run;
  read_times(given.times, longest, run.policy);
  run.budget = budget_of(given.times);
  if (!given.expect.empty()) run.expect = parse_fraction(given.expect);
  refuse_twice(run.outputs);
  return run;
}

void add_what(CLI::App& command, CopyOptions& copies) {
  command
      .add_option("--from", copies.from,
                  "Where bytes come from: places, separated by commas (railgauge list places); default: all")
      ->delimiter(',');
  command.add_option("--to", copies.to, "Where they go")->delimiter(',');
  command.add_option("--gpu", copies.gpus, "Only these GPUs take part, by their numbers, separated by commas")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  command
      .add_option(
          "--way", copies.ways,
          "engine (a GPU's copy engine), kernel (a loop of ours, on a GPU or a core) or all; default: engine where there is one")
      ->delimiter(',');
  command
      .add_option(
          "--algorithm", copies.algorithms,
          "one_way (the default), two_way (both directions at once), chase (the latency of loads, by a chain of pointers) or all")
      ->delimiter(',');
  command.add_option("--bytes", copies.bytes, "Sizes and ranges A:B, separated by commas; K, M, G are binary")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--factor", copies.factor, "From one size of a range to the next")
      ->check(options::above_one())
      ->capture_default_str();
}

void add_how(CLI::App& command, Given& given) {
  add_time_options(command, given.times, longest);
  command
      .add_option("--topology", given.run.topology,
                  "What % of expected is of, in place of this machine: what `railgauge topo` reads; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--expect", given.expect,
                  "Exit with 1 when a copy is below this share of what is expected (80%), and with 4 where that is not known")
      ->check(options::a_share());
  command.add_flag("--strict", given.run.strict, "Exit with 4 when a copy has not converged");
  command
      .add_option("-o,--output", given.run.outputs,
                  "Write results to this file (.jsonl, .csv, .md, .xml, .prom; -: standard output); may be repeated")
      ->allow_extra_args(false);
  command.add_option("--format", given.run.format,
                     "Of standard output, and of files whose names do not say it (railgauge list formats)");
}

}  // namespace

void add_bench_copy(CLI::App& bench, const Invocation& invocation, Action& action) {
  CLI::App* command = bench.add_subcommand("copy", "Measure copies between memories of this machine, and latencies, as a matrix");
  const auto given = std::make_shared<Given>();  // lives as long as the parser and the action
  add_what(*command, given->run.copies);
  add_how(*command, *given);
  command->footer(
      "Examples:\n"
      "  railgauge bench copy                                     each GPU, the host and each of its NUMA nodes, in one "
      "direction\n"
      "  railgauge bench copy --way all --algorithm all --bytes 512M -o copies.jsonl\n"
      "  railgauge bench copy --algorithm chase --bytes 4K:64M    latency of a load, from the first cache to the memory");
  command->callback([given, &bench, &invocation, &action] {
    action = [given, &bench, &invocation] { return run_bench_copy(run_of(*given, bench), invocation); };
  });
}

}  // namespace railgauge

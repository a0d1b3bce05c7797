// The options of `railgauge validate`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "bench/commands/bench_times.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/settings.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "bench/run/outputs.hpp"
#include "bench/validate/run/run.hpp"
#include "bench/validate/stages/stages.hpp"
#include "bench/validate/tasks/alone.hpp"

namespace railgauge {
namespace {

using validate::ValidateOptions;

// As the command line has them; texts are turned into values when the command runs, so that a wrong one is one sentence.
struct Given {
  ValidateOptions validate;
  std::vector<std::string> set, gpus;
  std::vector<std::string> expect;
  std::string memory = "host", budget, measured;
  int ranks = 0;
  unsigned rounds = 0;
};

// "eth0" of "eth0:1" and of "eth0": interfaces and ports that the transport was told to use, in the order of the rails.
std::vector<std::string> ports_of(const std::map<std::string, Settings>& settings) {
  std::vector<std::string> ports;
  for (const auto& [transport, its] : settings)
    for (const char* const name : {"devices", "ports"})  // of ucx, and of verbs
      if (const auto devices = its.find(name); devices != its.end())
        for (std::string rest = devices->second; !rest.empty();) {
          const std::size_t comma = std::min(rest.find(','), rest.size());
          ports.push_back(rest.substr(0, comma));
          rest.erase(0, std::min(comma + 1, rest.size()));
        }
  return ports;
}

// "120ms", or "1.5x": so many times what is predicted.
validate::StepLimit step_limit(const std::string& word, const std::string& value) {
  const std::string expected = "--expect " + word + ": expected a time, as step=120ms, or times what is predicted, as step=1.5x";
  validate::StepLimit limit;
  limit.words = value;
  if (value.ends_with('x')) {
    char* end = nullptr;
    limit.times_predicted = std::strtod(value.c_str(), &end);
    const bool whole = end == value.c_str() + value.size() - 1;
    if (!whole || !(limit.times_predicted > 0) || !std::isfinite(limit.times_predicted)) throw Error(Fault::usage, expected);
    return limit;
  }
  try {
    limit.most = parse_seconds(value);
  } catch (const Error&) { throw Error(Fault::usage, expected); }
  if (limit.most <= Seconds(0)) throw Error(Fault::usage, expected);
  return limit;
}

// "all_reduce=350" in GB/s of bus bandwidth, "pair=45" of one direction between two hosts, and "step=120ms" of a workload.
void take_thresholds(const std::vector<std::string>& words, validate::ValidationOptions& options) {
  for (const std::string& word : words) {
    const std::size_t equal = std::min(word.find('='), word.size());
    const std::string what = word.substr(0, equal), value = word.substr(std::min(equal + 1, word.size()));
    if (what == "step") {
      options.step_most = step_limit(word, value);
      continue;
    }
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (what != "pair" && what != "all_reduce" && what != "all_gather" && what != "all_to_all")
      throw Error(Fault::usage,
                  "--expect " + word + ": expected pair=, all_reduce=, all_gather= or all_to_all= and GB/s, or step= and a time");
    if (value.empty() || *end != '\0' || !(number > 0) || !std::isfinite(number))
      throw Error(Fault::usage,
                  "--expect " + word + ": expected a bandwidth in GB/s, as " + (what == "pair" ? "pair=45" : "all_reduce=350"));
    if (what == "pair")
      options.pair_least = number;
    else
      options.least[what] = number;
  }
}

ValidateOptions options_of(const Given& given, const Invocation& invocation) {
  ValidateOptions options = given.validate;
  options.settings = settings_of_words(given.set);
  options.session.cache = Cache::warm;
  options.session.check_every = false;  // of each batch the last
  options.session.device = choose_device(given.memory, given.gpus, invocation.plugin_folders);
  options.budget = given.budget.empty() ? Seconds(options.run.quick ? 90 : 600) : parse_seconds(given.budget);
  options.run.measured = given.measured.empty() ? Seconds(options.run.quick ? 0.2 : 0.3) : parse_seconds(given.measured);
  take_thresholds(given.expect, options.run);
  options.run.on_device = given.memory != "host";
  if (given.ranks != 0) options.ranks = given.ranks;
  if (given.rounds != 0) options.run.rounds = given.rounds;
  options.run.ports = ports_of(options.settings);
  // What is measured may be broken: ranks speak by other interfaces first.
  for (const std::string& port : options.run.ports) options.network.last.push_back(port.substr(0, port.find(':')));
  validate::check_message(options.run.bytes);
  refuse_twice(options.outputs);
  return options;
}

std::string stage_list() {
  std::string text;
  for (const validate::StageRow& row : validate::stages()) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

void add_options(CLI::App& command, Given& given, const Invocation& invocation) {
  ValidateOptions& options = given.validate;
  command.add_flag("--quick", options.run.quick, "A first look, in a minute or so: ranks suspects, and confirms them");
  command.add_option("--budget", given.budget, "For all stages together (default 10m, with --quick 90s)")
      ->check(options::a_time());
  command.add_option("--stages", options.stages, "Stages to run, separated by commas: " + stage_list())->delimiter(',');
  command.add_option("--skip", options.skip, "Stages to leave out, separated by commas")->delimiter(',');
  command.add_option("--transport", options.run.transport, "Between hosts (railgauge list transports)")->capture_default_str();
  command.add_option("--set", given.set, "Setting of a transport, TRANSPORT.NAME=VALUE; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--memory", given.memory, "Where the buffers lie: host, cuda (a GPU's own), pinned or managed")
      ->check(options::one_of({"host", "cuda", "pinned", "managed"}))
      ->capture_default_str();
  command.add_option("--gpu", given.gpus, "GPUs that the ranks of a host take round-robin")->delimiter(',');
  command.add_option("--ranks", given.ranks, "Start so many ranks on this machine (under mpirun or srun: theirs)")
      ->check(options::whole(1, 4096));
  command.add_option("--rounds", given.rounds, "Rounds of pairs (default: as the hosts and the budget allow)")
      ->check(options::whole(1, 10'000));
  command.add_option("--bytes", options.run.bytes, "Of a message between two hosts; K, M, G are binary")
      ->check(options::a_size())
      ->capture_default_str();
  command
      .add_option("--measured", given.measured,
                  "How long each direction between two hosts is measured (default 300ms, with --quick 200ms)")
      ->check(options::a_time());
  command
      .add_option(
          "--expect", given.expect,
          "GB/s that must be reached: pair=NUMBER by one direction between two hosts, on each rail; COLLECTIVE=NUMBER, a bus "
          "bandwidth, by all hosts together; one that this hardware cannot reach is refused; step=120ms or step=1.5x, "
          "how long the step of --workload takes at most, or how many times what is predicted; may be repeated")
      ->allow_extra_args(false);
  command.add_option(
      "--workload", options.run.workload,
      "Run a training step of this model between all hosts (railgauge workload --help names them): milliseconds a step, "
      "beside what the pairs of hosts let expect");
  command
      .add_option("--scale", options.run.workload_scale,
                  "Multiply bytes and times of --workload (default: so that its largest call has at most 4 MiB)")
      ->check(options::number_above(0, 1'000'000));
  command.add_flag("--relative", options.run.relative,
                   "Compare hosts with each other alone: passes also where it is not known what their links should carry");
  command.add_option("--inside", options.run.inside, "Transport between the ranks of a host")->capture_default_str();
  command.add_option("--seed", options.run.seed, "Of the pairing: who is measured with whom")->capture_default_str();
  command.add_option("--control-interface", options.network.first,
                     "Interface by which ranks speak with each other beside what is measured, as eno1");
  command
      .add_option("--topology", options.topology.sources,
                  "Name switches and cables by this topology: a file or folder that `railgauge topo` reads, as of ibnetdiscover "
                  "or Slurm's topology.conf; may be repeated")
      ->allow_extra_args(false);
  add_fabric_options(command, options.topology, invocation,
                     "Name switches and cables by the live InfiniBand fabric, as the host of rank 0 sees it");
  command.add_option("--journal", options.journal, "Note what was measured in this file, and do not measure it again from there");
  command
      .add_option("-o,--output", options.outputs,
                  "Write the verdict to this file (.json, .html, .xml, .prom, .txt); may be repeated")
      ->allow_extra_args(false);
  command.add_option("--format", options.format, "Of files whose names do not say it");
}

}  // namespace

void add_validate(CLI::App& program, const Invocation& invocation, Action& action) {
  CLI::App* command = program.add_subcommand("validate", "Find the host, port or cable of a cluster that underperforms");
  const auto given = std::make_shared<Given>();
  given->validate.run.transport = "ucx";
  add_options(*command, *given, invocation);
  command->footer(
      "Examples:\n"
      "  srun -N 16 --ntasks-per-node=1 railgauge validate --quick --topology /etc/slurm/topology.conf\n"
      "  srun -N 128 --ntasks-per-node=8 railgauge validate --memory cuda --budget 10m -o verdict.html\n"
      "  mpirun -n 8 railgauge validate --set ucx.devices=eth1 --control-interface eth0 --journal a.jsonl");
  command->callback([given, &invocation, &action] {
    action = [given, &invocation] { return validate::run_validate(options_of(*given, invocation), invocation); };
  });
}

}  // namespace railgauge

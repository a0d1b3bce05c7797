// The options of `railgauge bench`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/words.hpp"
#include "bench/commands/bench_copy.hpp"
#include "bench/commands/bench_rdma.hpp"
#include "bench/commands/bench_times.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/settings.hpp"
#include "bench/options/values.hpp"
#include "bench/run/outputs.hpp"
#include "bench/run/run.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/select/counts.hpp"
#include "bench/select/stored.hpp"

namespace railgauge {
namespace {

// As the command line has them; texts are turned into values when the command runs, so that a wrong one is one sentence.
struct Given {
  BenchOptions bench;
  std::vector<std::string> what, set, folders;
  GivenTimes times;
  GivenRdma rdma;
  int ranks = 0, ranks_per_node = 0;
  std::string memory = "host";
  std::vector<std::string> gpus;
  std::string expect, counts;
  std::string mode, start, cache = "auto", path = "auto", in_place = "no", check = "every";
};

template <class Value>
Value read_choice(const std::string& option, const std::string& text, const std::vector<std::pair<std::string, Value>>& choices) {
  std::string known;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw Error(Fault::usage, option + " " + text + " is unknown: choose from " + known);
}

// Where --start says how iterations start together, they are isolated. Nothing where nobody said anything.
std::optional<Mode> mode_of(const Given& given) {
  if (given.mode.empty() && given.start.empty()) return std::nullopt;
  const std::string asked = given.mode.empty() ? "isolated" : given.mode;
  const Mode mode = read_choice<Mode>("--mode", asked, {{"back-to-back", Mode::back_to_back}, {"isolated", Mode::isolated}});
  if (given.start.empty()) return mode;
  const Mode started = read_choice<Mode>("--start", given.start, {{"barrier", Mode::isolated}, {"window", Mode::window}});
  if (mode == Mode::back_to_back)
    throw Error(Fault::usage, "--start " + given.start + ": iterations back-to-back do not start together: leave --mode out");
  return started;
}

BenchOptions options_of(const Given& given, const Invocation& invocation) {
  BenchOptions bench = given.bench;
  SessionOptions& session = bench.session;
  bench.first_look = given.what.empty() && given.counts.empty();
  bench.sweep.collectives = !given.what.empty()    ? given.what
                            : given.counts.empty() ? std::vector<std::string>{"all_reduce"}
                                                   : std::vector<std::string>{"all_to_all_v"};
  bench.tune = !given.what.empty() && given.what.front() == "tune";
  if (bench.tune) {
    bench.sweep.collectives.erase(bench.sweep.collectives.begin());
    if (bench.sweep.collectives.empty()) bench.sweep.collectives = {"all"};
    if (bench.sweep.algorithms.empty()) bench.sweep.algorithms = {"all"};
    if (std::find(bench.sweep.algorithms.begin(), bench.sweep.algorithms.end(), "native") != bench.sweep.algorithms.end())
      throw Error(Fault::usage,
                  "bench tune --algorithm native: auto takes one of railgauge's own algorithms, to be compared "
                  "with native: leave native out");
    if (const auto file = std::find_if(bench.sweep.algorithms.begin(), bench.sweep.algorithms.end(), names_file);
        file != bench.sweep.algorithms.end())
      throw Error(Fault::usage,
                  "bench tune --algorithm " + *file + ": name its folder, so that auto can take it: --algorithms FOLDER");
    if (!given.counts.empty())
      throw Error(Fault::usage, "bench tune --counts: auto chooses by size, and counts have none: leave --counts out");
    if (bench.sweep.bytes == SweepOptions{}.bytes) {
      bench.sweep.bytes = {"4:16M"};
      bench.sweep.factor = 4;
    }
  }
  if (bench.first_look && bench.sweep.bytes == SweepOptions{}.bytes) {
    bench.sweep.bytes = {"8:8M"};
    bench.sweep.factor = 16;
  }
  const bool only_pairs = !given.what.empty() && std::all_of(given.what.begin(), given.what.end(),
                                                             [](const std::string& what) { return what == "pairs"; });
  if (only_pairs && bench.sweep.bytes == SweepOptions{}.bytes) bench.sweep.bytes = {"1M"};  // a matrix each
  read_times(given.times, bench.first_look ? "0.5" : bench.tune ? "0.06" : "1", session.policy);
  bench.budget = budget_of(given.times);
  if (!given.expect.empty()) bench.expect = parse_fraction(given.expect);
  if (given.ranks != 0) bench.ranks = given.ranks;
  if (given.ranks_per_node != 0) bench.sweep.ranks_per_node = given.ranks_per_node;
  session.mode = mode_of(given);
  session.device = choose_device(given.memory, given.gpus, invocation.plugin_folders);
  if (session.device.table != nullptr) bench.sweep.most_operands = session.device.table->most_operands;
  session.cache =
      read_choice<Cache>("--cache", given.cache, {{"auto", Cache::automatic}, {"warm", Cache::warm}, {"cold", Cache::cold}});
  session.path = read_choice<Path>(
      "--path", given.path,
      {{"auto", Path::automatic}, {"exchange", Path::exchange}, {"mapped", Path::mapped}, {"staged", Path::staged}});
  session.check_every = read_choice<bool>("--check", given.check, {{"every", true}, {"last", false}});
  bench.sweep.buffering = read_choice<Buffering>(
      "--in-place", given.in_place, {{"no", Buffering::out_of_place}, {"yes", Buffering::in_place}, {"both", Buffering::both}});
  if (!given.counts.empty()) {
    bench.sweep.counts = read_counts(given.counts);
    bench.sensible_ranks = static_cast<int>(std::lround(std::sqrt(static_cast<double>(bench.sweep.counts.size()))));
  }
  bench.settings = settings_of_words(given.set);
  read_rdma_options(given.rdma, bench.settings);
  refuse_twice(bench.outputs);
  return bench;
}

// What nobody said is what the files are for: their collectives, and the ranks of the first.
void take_stored(const StoredAlgorithms& stored, const Given& given, BenchOptions& bench) {
  bench.sweep.stored = stored.rows();
  bench.sweep.refused = stored.refused();
  if (bench.sweep.stored.empty()) return;
  const auto first = std::find_if(bench.sweep.stored.begin(), bench.sweep.stored.end(), [&](const Algorithm* row) {
    const auto& asked = bench.sweep.collectives;
    return given.what.empty() || std::find(asked.begin(), asked.end(), name(row->collective)) != asked.end() ||
           std::find(asked.begin(), asked.end(), "all") != asked.end();
  });
  if (first != bench.sweep.stored.end()) bench.sensible_ranks = static_cast<int>((*first)->stored->ranks.size());
  if (!given.what.empty()) return;
  bench.first_look = false;
  bench.sweep.collectives.clear();
  for (const Algorithm* algorithm : bench.sweep.stored) {
    const std::string its(name(algorithm->collective));
    if (std::find(bench.sweep.collectives.begin(), bench.sweep.collectives.end(), its) == bench.sweep.collectives.end())
      bench.sweep.collectives.push_back(its);
  }
}

template <class Row>
std::vector<std::string> names_of(std::span<const Row> rows, std::initializer_list<const char*> more) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

std::vector<std::string> algorithm_names() {
  std::set<std::string> names{"auto", "native", "all"};
  for (const Algorithm& algorithm : catalog()) names.emplace(algorithm.name);
  return {names.begin(), names.end()};
}

void add_what(CLI::App& command, Given& given) {
  command
      .add_option("what", given.what,
                  "Collectives and patterns to measure, or all (railgauge list collectives); operations of a transport "
                  "(write, read, send, fetch_add); "
                  "tune: all, or those that follow, kept for --algorithm auto")
      ->check(options::suggest(names_of(collectives(), {"all", "tune"})));
  command.add_option("--ranks", given.ranks, "Start so many ranks on this machine (under mpirun or srun: theirs)")
      ->check(options::whole(1, 4096));
  command
      .add_option("--transport", given.bench.transports,
                  "Transports, separated by commas, or all: each that can serve here (railgauge list transports); "
                  "one that is unavailable is skipped, with its reason")
      ->check(options::suggest({"all", "memory", "shm", "ucx", "verbs", "nccl", "cuda_ipc"}))
      ->delimiter(',');
  command
      .add_option(
          "--memory", given.memory,
          "Where the buffers lie: host, cuda (a GPU's own, which then reduces), pinned (the host's, for a GPU) or managed")
      ->check(options::one_of({"host", "cuda", "pinned", "managed"}))
      ->capture_default_str();
  command
      .add_option(
          "--gpu", given.gpus,
          "GPUs that the ranks of a host take round-robin: numbers, UUIDs or how those begin, separated by commas (default all)")
      ->delimiter(',');
  command
      .add_option("--algorithm", given.bench.sweep.algorithms,
                  "Algorithms, separated by commas; auto: the best of what bench tune measured, native: the library's own, all: "
                  "each that can serve (default auto); or a file: .jsonl of railgauge synthesise, .xml of MSCCL, .json of "
                  "MSCCL++; .gz too")
      ->check(options::suggest(algorithm_names()))
      ->delimiter(',');
  command
      .add_option(
          "--algorithms", given.folders,
          "Also every file of an algorithm in this folder that is right and fits: its collective, ranks and sizes; may be "
          "repeated")
      ->allow_extra_args(false);
  CLI::Option* const bytes =
      command.add_option("--bytes", given.bench.sweep.bytes, "Sizes and ranges A:B, separated by commas; K, M, G are binary")
          ->delimiter(',')
          ->capture_default_str();
  command.add_option("--counts", given.counts, "Of all_to_all_v: a file with a line of elements for each rank, one to each rank")
      ->type_name("FILE")
      ->excludes(bytes);
  command.add_option("--factor", given.bench.sweep.factor, "From one size of a range to the next")
      ->check(options::above_one())
      ->capture_default_str();
  command.add_option("--type", given.bench.sweep.types, "Element types, separated by commas, or all")
      ->check(options::suggest(names_of(types(), {"all"})))
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--op", given.bench.sweep.ops, "Reductions, separated by commas, or all")
      ->check(options::suggest(names_of(ops(), {"all"})))
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--root", given.bench.sweep.root, "Root of broadcast, reduce, gather, scatter, incast, outcast")
      ->capture_default_str();
  command.add_option("--lanes", given.bench.sweep.lanes, "Parts of each block that travel independently")->capture_default_str();
  command.add_option("--window", given.bench.sweep.window, "Messages in flight together in stream and bidirectional")
      ->capture_default_str();
  command.add_option("--seed", given.bench.sweep.seed, "Of permutation")->capture_default_str();
  command.add_option("--ranks-per-node", given.ranks_per_node, "For hierarchical algorithms; default: as the ranks are placed")
      ->check(options::whole(1, 4096));
  command.add_option("--in-place", given.in_place, "no, yes or both: whether input and output share a buffer")
      ->check(options::one_of({"no", "yes", "both"}))
      ->capture_default_str();
  command.add_option("--set", given.set, "Setting of a transport, TRANSPORT.NAME=VALUE; may be repeated")
      ->allow_extra_args(false);
}

void add_how(CLI::App& command, Given& given) {
  command
      .add_option("--mode", given.mode,
                  "back-to-back (throughput) or isolated (all ranks start each iteration together); default: isolated for "
                  "broadcast, reduce, gather and scatter in memory of the host, back-to-back for all else")
      ->check(options::one_of({"back-to-back", "isolated"}));
  command
      .add_option("--start", given.start,
                  "How isolated iterations start: after a barrier (the default), or in a window: at an agreed time")
      ->check(options::one_of({"barrier", "window"}));
  command
      .add_option("--cache", given.cache,
                  "warm (one buffer set, which may stay in the caches), cold (a ring of sets larger than the caches: data comes "
                  "from memory) or auto: cold where at most 16 sets suffice, else warm")
      ->check(options::one_of({"auto", "warm", "cold"}))
      ->capture_default_str();
  command
      .add_option("--path", given.path,
                  "auto, exchange (transfers of the buffers themselves), mapped (peers' memory is read where it lies) or "
                  "staged (a device's memory passes through the host's)")
      ->check(options::one_of({"auto", "exchange", "mapped", "staged"}))
      ->capture_default_str();
  command.add_flag(
      "--graph", given.bench.session.graph,
      "Note what an operation puts into the GPU's stream once, and replay it (a CUDA graph); over nccl and cuda_ipc");
  command.add_flag("--shared-cores", given.bench.session.oversubscribed,
                   "Ranks share cores, though their hosts do not know it (virtual machines): who waits for long sleeps");
  command
      .add_option("--check", given.check,
                  "every (each timed iteration that has a buffer set of its own) or last (the last of each batch)")
      ->check(options::one_of({"every", "last"}))
      ->capture_default_str();
  add_time_options(command, given.times, "1s");
  command
      .add_option("--topology", given.bench.topology,
                  "What % of expected is of, in place of what the hosts say themselves, and what times are predicted on: what "
                  "`railgauge topo` reads; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--tuning", given.bench.tuning,
                     "What bench tune keeps and auto reads (default ~/.cache/railgauge/tuning.jsonl)");
  command
      .add_option(
          "--expect", given.expect,
          "Exit with 1 when busbw of a point is below this share of what is expected (80%), and with 4 where that is not known")
      ->check(options::a_share());
  command.add_flag("--strict", given.bench.strict,
                   "Exit with 4 when a point has not converged, or a transport that was asked for is unavailable");
  command
      .add_option("-o,--output", given.bench.outputs,
                  "Write results to this file (.jsonl, .csv, .md, .xml, .prom; -: standard output); may be repeated")
      ->allow_extra_args(false);
  command.add_option("--format", given.bench.format,
                     "Of standard output, and of files whose names do not say it (railgauge list formats)");
}

}  // namespace

void add_bench(CLI::App& program, const Invocation& invocation, Action& action) {
  CLI::App* command = program.add_subcommand("bench", "Measure collectives between ranks");
  const auto given = std::make_shared<Given>();
  add_what(*command, *given);
  add_how(*command, *given);
  add_rdma_options(*command, given->rdma);
  command->footer(
      "Examples:\n"
      "  railgauge bench                                          all_reduce between a few local ranks, a first look\n"
      "  railgauge bench all_reduce --ranks 2 --transport ucx --bytes 8:64M -o results.jsonl\n"
      "  mpirun -n 4 railgauge bench all --bytes 1K,1M            everything, between the ranks of a launcher");
  command->require_subcommand(0, 1);
  add_bench_copy(*command, invocation, action);
  // Runs after the callbacks of subcommands, which have chosen their own action then.
  command->callback([command, given, &invocation, &action] {
    if (command->get_subcommands().empty())
      action = [given, &invocation] {
        BenchOptions bench = options_of(*given, invocation);
        StoredAlgorithms stored(bench.sweep.algorithms);
        for (const std::string& folder : given->folders) stored.add_folder(folder);
        take_stored(stored, *given, bench);
        return run_bench(bench, invocation);
      };
  });
}

}  // namespace railgauge

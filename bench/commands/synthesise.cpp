// railgauge synthesise: the best that a collective can reach on this graph, and a schedule of trees that comes near to it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "base/words.hpp"
#include "bench/commands/command.hpp"
#include "bench/options/values.hpp"
#include "bench/schedule/file/schedule_file.hpp"
#include "bench/select/stored.hpp"
#include "bench/synthesise/tree_schedule.hpp"
#include "topo/bound/bound.hpp"
#include "topo/network/network.hpp"
#include "topo/read/request.hpp"
#include "topo/trees/trees.hpp"

namespace railgauge {

AddCommand add_synthesise;

namespace {

constexpr const char* synthesise_examples =
    "Examples:\n"
    "  railgauge synthesise all_gather --topology node7.json                      what this machine can do at best\n"
    "  railgauge synthesise all_reduce --topology node1 node2 fabric.out          several machines and their fabric\n"
    "  railgauge synthesise broadcast --root 3 --topology node7.json -o trees.jsonl   with the schedule of each rank\n";

struct SynthesiseOptions {
  std::string collective;
  std::vector<std::string> topology;  // files or folders; none: this machine
  std::string nics;                   // patterns (topo/roles.hpp)
  unsigned ranks = 0;                 // 0: one for each GPU, or for each machine where there are no GPUs
  std::int32_t root = 0;
  std::int64_t trees = 8;    // of a root, at most
  std::uint32_t chunks = 0;  // 0: four times the height of the trees
  std::string output;        // a file for the schedules; empty: none
};

constexpr std::uint32_t chunks_of_height = 4;
// Of more, fewer chunks are proved: the time of a proof grows with the ranks times the square of the messages of each.
constexpr double most_work_proved = 1e10;
constexpr double most_work_begun = 1e11;  // some minutes, and gigabytes
constexpr std::uint32_t chunks_proved = 2;
constexpr std::size_t most_messages_written = 8'000'000;  // some gigabytes of memory, and of the file half a gigabyte

Collective collective_of(const std::string& said) {
  const auto found = find_collective(said);
  if (!found) throw Error(Fault::usage, fmt::format("there is no collective {} (railgauge list collectives)", said));
  if (!has_tree_schedule(*found))
    throw Error(Fault::usage, fmt::format("no schedule for {} is known that trees make: there are all_gather, reduce_scatter, "
                                          "all_reduce, broadcast and reduce",
                                          said));
  return *found;
}

void prove(const ScheduleFile& file) {
  for (const bool in_place : {false, true})
    if (const Findings findings = findings_of(file, in_place); !findings.empty())
      throw Error(Fault::wrong_data, fmt::format("the schedule is wrong, which is a mistake of railgauge: {}", findings.front()));
}

std::size_t messages_of(const topo::Forest& forest, Collective collective) {
  std::size_t branches = 0;
  for (const topo::OutTree& tree : forest.list) branches += tree.branches.size();
  return collective == Collective::all_reduce ? 2 * branches : branches;
}

// With so many chunks, of a schedule that has `built`.
std::size_t rounds_of(const ScheduleFile& file, std::uint32_t built, std::uint32_t chunks) {
  return file.ranks.front().rounds.size() + std::size_t{chunks - built} * (file.collective == Collective::all_reduce ? 2 : 1);
}

int run_synthesise(const SynthesiseOptions& options, std::FILE* to) {
  const Collective collective = collective_of(options.collective);
  const bool rooted = row(collective).rooted;
  if (!rooted && options.root != 0)
    throw Error(Fault::usage, fmt::format("--root is for broadcast and reduce, and {} has none", name(collective)));
  const topo::Graph graph = topo::graph_of_files(options.topology);
  const topo::Network network = topo::network_of(graph, {options.ranks, options.nics});
  const auto ranks = static_cast<std::int32_t>(network.ranks.size());
  const topo::Bound bound = topo::Bounds(network).of(collective, static_cast<std::uint32_t>(options.root));
  print(fmt::format("{} of {} ranks\n{}", name(collective), ranks, topo::to_text(graph, bound)), to);
  const topo::Forest forest = topo::forest_of(network, {rooted ? options.root : -1, options.trees});
  const std::uint32_t height = forest.height();
  const std::uint32_t chunks = options.chunks != 0 ? options.chunks : chunks_of_height * height;
  const std::size_t messages = messages_of(forest, collective) * chunks;
  if (!options.output.empty() && messages > most_messages_written)
    throw Error(Fault::usage,
                fmt::format("the schedule has {} messages, and a file holds at most {}: give fewer --chunks or --ranks", messages,
                            most_messages_written));
  const auto work_of = [&](std::uint32_t of) {
    const double of_a_rank = 2.0 * static_cast<double>(messages) / chunks * of / ranks;
    return of_a_rank * of_a_rank * ranks;
  };
  const std::uint32_t proved = work_of(chunks) <= most_work_proved ? chunks : std::min(chunks, chunks_proved);
  if (work_of(proved) > most_work_begun)
    throw Error(Fault::usage,
                fmt::format("{} messages of {} ranks are too many to prove in reasonable time: give fewer --trees or --ranks",
                            messages, ranks));
  ScheduleFile file{collective, options.root, tree_schedules(collective, forest, ranks, proved)};
  prove(file);
  // Of the time that trees reach: what fewer trees lose, and what rounds lose in which the pipeline is not full.
  const double packed = forest.share;
  const double full = static_cast<double>(chunks) / (chunks + height - 1);
  print(fmt::format(
            "schedule      busbw {:.4g} GB/s by the links, {:.3g} of what trees can reach: {} tree{} a root of height {} reach "
            "{:.3g}, and {} chunks {:.3g} of that\n"
            "              {} rounds, {} blocks, proved apart and in place{}\n",
            bound.reached_busbw() * packed * full, packed * full, forest.trees, forest.trees == 1 ? "" : "s", height, packed,
            chunks, full, rounds_of(file, proved, chunks), file.ranks.front().blocks / proved * chunks,
            proved == chunks ? "" : fmt::format(" with {} chunks in place of {}", proved, chunks)),
        to);
  if (options.output.empty()) return 0;
  if (proved != chunks) file.ranks = tree_schedules(collective, forest, ranks, chunks);
  write_aside(options.output, to_text(file));
  print(fmt::format("              written to {}\n", options.output), to);
  return 0;
}

}  // namespace

void add_synthesise(CLI::App& program, const Invocation&, Action& action) {
  const auto options = std::make_shared<SynthesiseOptions>();  // lives as long as the parser and the action
  CLI::App* command = program.add_subcommand(
      "synthesise", "Say what a collective can reach at best on a topology, and make a schedule that comes near to it");
  command->add_option("COLLECTIVE", options->collective, "all_gather, reduce_scatter, all_reduce, broadcast or reduce")
      ->required();
  command->add_option("--topology", options->topology, "What `railgauge topo` reads: files or folders; without any this machine");
  command->add_option("--nics", options->nics,
                      "These NICs carry traffic between ranks, as 'mlx5_*' or 'mlx5_0,mlx5_3': names or PCI addresses");
  command->add_option("--ranks", options->ranks, "The first so many GPUs, or machines where there are no GPUs; without it all")
      ->check(options::whole(2, 10'000'000));
  command->add_option("--root", options->root, "Where a broadcast begins, or a reduce ends")
      ->check(options::whole(0, 10'000'000))
      ->capture_default_str();
  command->add_option("--trees", options->trees, "At most so many trees a root: more come nearer to the bound, in more blocks")
      ->check(options::whole(1, 1024))
      ->capture_default_str();
  command->add_option("--chunks", options->chunks, "Pipeline in so many chunks; without it four times the height of the trees")
      ->check(options::whole(1, 4096));
  command->add_option("-o,--output", options->output, "Write the schedule of each rank (docs/schedules.md) to a new file");
  command->footer(synthesise_examples);
  command->callback([options, &action] { action = [options] { return run_synthesise(*options, stdout); }; });
}

}  // namespace railgauge

// Finds out who the ranks are, and runs the steps on them.
#include "bench/workload/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "bench/group/host.hpp"
#include "bench/group/nodes.hpp"
#include "bench/launch/bootstrap.hpp"
#include "bench/launch/control_tree.hpp"
#include "bench/launch/detect.hpp"
#include "bench/launch/environment_launch.hpp"
#include "bench/launch/local.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/ranks/interrupt.hpp"
#include "bench/ranks/node_launch.hpp"
#include "bench/ranks/rank_report.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/workload/agree.hpp"
#include "bench/workload/consistency.hpp"
#include "bench/workload/digest.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/replay.hpp"
#include "bench/workload/report/records.hpp"
#include "bench/workload/run/outcome.hpp"
#include "bench/workload/scale.hpp"
#include "transports/oversubscribed.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr Seconds call_deadline{60};
constexpr Seconds launcher_patience{0.3};
constexpr double longest_computing = 20;  // seconds of a step, less than the watchdog's
constexpr int most_ranks_here = 4096;
constexpr std::size_t most_nodes_here = 4'000'000;  // of all ranks: each of them makes all lists

// Its end is certain, and no rank waits longer than the watchdog for another one that computes.
void expect_end(const Workload& workload, double factor, Computing computing) {
  const Matches matches = matches_of(workload);
  const auto computation = [&](int rank, std::uint32_t node) {
    return workload.nodes[static_cast<std::size_t>(rank)][node].duration.count() * factor;
  };
  const double seconds = length_of(replay(workload, matches, {computation, [](const Match&) { return 0.0; }}));
  if (computing != Computing::none && seconds > longest_computing)
    throw Error(Fault::usage,
                fmt::format("workload {}: its computations take {:.3g} s a step, and at most {} s run: choose a smaller "
                            "--scale, for a model more --tflops, or --compute none",
                            workload.name, seconds, longest_computing));
}

// Scaled, and proved to end.
Workload prepare(const WorkloadRun& given, std::optional<int> ranks) {
  Workload workload = made_here(given.make, ranks, "run");
  expect_consistent(workload);
  const double factor = given.scale ? *given.scale : comfortable_factor(workload);
  expect_end(workload, factor, given.steps.computing);
  if (factor == 1) return workload;
  workload.notes.push_back(
      fmt::format("scaled: bytes and computations times {:.4g}{}", factor,
                  given.scale ? "" : ", so that the largest call has at most 4 MiB (--scale 1: the real sizes)"));
  return scaled(std::move(workload), factor);
}

std::string how(const Workload& workload, const std::string& transport, const StepOptions& steps, const std::string& where) {
  return fmt::format("{} rank{} on {} over {}, memory: {}, computations: {}", workload.ranks, workload.ranks == 1 ? "" : "s",
                     where, transport, steps.device.memory_name, computing_names[static_cast<std::size_t>(steps.computing)]);
}

void tell_step(const RankReport& report, const StepRecord& record) { report.tell(Json{{"step", to_json(record)}}.dump()); }

// What the ranks of this machine say.
void hear(const std::string& text, Outcome& outcome) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.contains("step")) outcome.add(step_of(json["step"]));
  if (json.contains("result")) outcome.end(result_of(json["result"]));
}

int run_processes(const Workload& workload, const ChosenTransport& transport, const StepOptions& steps,
                  const std::string& arguments, Outcome& outcome) {
  RankReport report;
  const int ranks = workload.ranks;
  const LocalBody body = [&](int rank, const std::string& root_address, RootListener* own) {
    return run_rank({rank, ranks, rank, ranks, describe_host().name}, arguments, root_address, own, report, [&](Group& group) {
      const RunResult result =
          run_steps(group, transport, workload, steps, [&](const StepRecord& record) { tell_step(report, record); });
      if (group.rank() == 0) report.tell(Json{{"result", to_json(result)}}.dump());
      return 0;
    });
  };
  LocalEvents events;
  events.descriptor = report.descriptor();
  events.readable = [&] { report.take({{}, [&](const std::string& text) { hear(text, outcome); }}); };
  events.explain = [&](int rank, int) { return report.sentence_of(rank); };
  const auto begin = std::chrono::system_clock::now();
  const int code = run_local(ranks, body, events);
  if (code != 0) remove_leftovers(transport, begin);
  return more_severe(code, outcome.finish());
}

int run_threads(const Workload& workload, const ChosenTransport& transport, const StepOptions& steps, Outcome& outcome) {
  const Interruption interruption([&] { (void)outcome.finish(); }, Seconds(0),
                                  [](const std::string& sentence) {
                                    std::fprintf(stderr, "railgauge: %s\n", sentence.c_str());
                                    std::_Exit(static_cast<int>(Fault::lost));
                                  });
  const auto thrown = run_as_threads(
      workload.ranks, call_deadline,
      [&](Group& group) {
        RunResult result = run_steps(group, transport, workload, steps, [&](const StepRecord& record) { outcome.add(record); });
        if (group.rank() == 0) outcome.end(std::move(result));
      },
      describe_host().name);
  const int code = outcome.finish();
  if (const std::exception_ptr cause = first_cause(thrown)) std::rethrow_exception(cause);
  return code;
}

int run_here(const WorkloadRun& given, const std::vector<KnownTransport>& known, const Invocation& invocation) {
  const Workload workload = prepare(given, given.ranks);
  const ChosenTransport transport =
      choose_transport(known, given.transport.empty() ? default_transport(true) : given.transport, given.settings);
  Outcome outcome(workload, how(workload, transport.name, given.steps, describe_host().name), given.outputs);
  if (const int cores = allowed_cores(); workload.ranks > cores)
    warn_of_oversubscription({{describe_host().name, workload.ranks, cores}});
  return transport.open()->abilities().processes ? run_processes(workload, transport, given.steps, invocation.arguments, outcome)
                                                 : run_threads(workload, transport, given.steps, outcome);
}

// Collective. Files may differ between hosts: the ranks that differ from rank 0, empty where all have the same.
std::string differing_ranks(ControlTree& tree, const Workload& workload) {
  const std::uint64_t mine = digest_of(workload);
  const auto bytes = std::as_bytes(std::span(&mine, 1));
  const std::vector<Blob> all = tree.allgather(Blob(bytes.begin(), bytes.end()));
  std::vector<int> others;
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all.front()) others.push_back(static_cast<int>(rank));
  return text_of_ranks(others);
}

// All ranks come to the same workload by themselves. What one of them refuses ends all, and one of them says it.
int run_launched(const WorkloadRun& given, const std::vector<KnownTransport>& known, const Launched& launched,
                 std::atomic<Outcome*>& interruptible, std::unique_ptr<Outcome>& outcome, std::unique_ptr<Workload>& workload) {
  ControlTree& tree = *launched.tree;
  const auto since = std::chrono::system_clock::now();
  std::optional<ChosenTransport> transport;
  try {
    const int nodes = count_nodes(tree);
    const bool prepared = agreed(tree, [&] {
      if (given.ranks && *given.ranks != tree.size())
        throw Error(Fault::usage,
                    fmt::format("--ranks {}, but the launcher started {}: leave --ranks out", *given.ranks, tree.size()));
      workload = std::make_unique<Workload>(prepare(given, tree.size()));
      transport =
          choose_transport(known, given.transport.empty() ? default_transport(nodes == 1) : given.transport, given.settings);
      const Abilities abilities = transport->open()->abilities();
      if (!abilities.processes || (nodes > 1 && !abilities.hosts))
        throw Error(Fault::usage, fmt::format("the transport {} does not serve processes on {} hosts", transport->name, nodes));
    });
    if (!prepared) return exit_after_reporter(static_cast<int>(Fault::usage));
    const std::vector<OversubscribedHost> full_hosts = oversubscribed_hosts(tree);
    const std::string others = differing_ranks(tree, *workload);
    const bool ready = agreed(tree, [&] {
      if (tree.rank() != 0) return;
      if (!others.empty())
        throw Error(Fault::usage,
                    fmt::format("rank {} has read another workload than rank 0: give all hosts the same files", others));
      outcome = std::make_unique<Outcome>(
          *workload, how(*workload, transport->name, given.steps, fmt::format("{} host{}", nodes, nodes == 1 ? "" : "s")),
          given.outputs);
      interruptible = outcome.get();
    });
    if (!ready) return exit_after_reporter(static_cast<int>(Fault::usage));
    if (tree.rank() == 0) warn_of_oversubscription(full_hosts);
    StepOptions steps = given.steps;
    if (nodes_share_cores(full_hosts)) steps.shared_cores = true;
    RunResult result = run_steps(tree, *transport, *workload, steps, [&](const StepRecord& record) { outcome->add(record); });
    if (!outcome) return result.wrong ? static_cast<int>(Fault::wrong_data) : 0;
    outcome->end(std::move(result));
    return outcome->finish();
  } catch (const Error& error) {
    if (outcome) (void)outcome->finish();
    return end_launched(tree, error, [&] {
      if (transport) remove_leftovers(*transport, since);
    });
  }
}

}  // namespace

Workload made_here(const MakeWorkload& make, std::optional<int> ranks, const char* purpose) {
  Workload first = make(ranks, true);
  std::size_t most = 0;
  for (const std::vector<WorkNode>& nodes : first.nodes) most = std::max(most, nodes.size());
  if (first.ranks > most_ranks_here || most * static_cast<std::size_t>(first.ranks) > most_nodes_here)
    throw Error(
        Fault::usage,
        fmt::format("workload {} has {} ranks with {} nodes each, too many to {} here: choose fewer by --ranks, of a model "
                    "also by --layers and --micro-batches",
                    first.name, first.ranks, most, purpose));
  return make(ranks, false);
}

int run_workload(const WorkloadRun& given, const Invocation& invocation) {
  const auto as_rank = [&](const Invocation& its) { return run_workload(given, its); };
  if (const std::optional<int> code = run_spread(invocation, as_rank)) return *code;
  const std::vector<KnownTransport> known = known_transports(invocation.plugin_folders);
  const Environment environment = environment_of(invocation);
  std::unique_ptr<Workload> workload;
  std::unique_ptr<Outcome> owned;
  std::atomic<Outcome*> outcome{nullptr};
  std::optional<Interruption> interruption;
  if (joins(detect_launch(environment)))
    interruption.emplace(
        [&] {
          if (Outcome* const its = outcome) (void)its->finish();
        },
        launcher_patience,
        // A launcher ends all ranks once one has said what is wrong: the others are silent.
        [&](const std::string& sentence) {
          if (outcome != nullptr) std::fprintf(stderr, "railgauge: %s\n", sentence.c_str());
          std::_Exit(static_cast<int>(Fault::lost));
        });
  try {
    const Launched launched =
        join_launched(environment, invocation.plugin_folders, invocation.arguments, {rendezvous_deadline(environment)});
    if (launched.tree) return run_launched(given, known, launched, outcome, owned, workload);
  } catch (const Refused& refused) { return end_refused(refused); }
  interruption.reset();  // the supervisor has its own handlers, and forks
  return run_here(given, known, invocation);
}

}  // namespace railgauge

// Finds out who the ranks are, runs the sessions, and brings their results to the writers.
#include "bench/run/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "bench/group/expected.hpp"
#include "bench/group/host.hpp"
#include "bench/group/nodes.hpp"
#include "bench/launch/bootstrap.hpp"
#include "bench/launch/control_tree.hpp"
#include "bench/launch/detect.hpp"
#include "bench/launch/local.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/ranks/interrupt.hpp"
#include "bench/ranks/node_launch.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/run/environment.hpp"
#include "bench/run/outputs.hpp"
#include "bench/select/tuning.hpp"
#include "bench/session/natives.hpp"
#include "reports/record/reader.hpp"

namespace railgauge {
namespace {

constexpr int usage = static_cast<int>(Fault::usage);
constexpr Seconds call_deadline{60};
constexpr int most_default_ranks = 8;
// A launcher ends all ranks by a signal when one is lost. Who names that one does so within this time, before the launcher
// insists.
constexpr Seconds launcher_patience{0.3};

// One transport of the sweep: what it can do, or why it is skipped.
struct TransportRun {
  ChosenTransport transport;
  Abilities abilities;
  std::vector<Point> points;
  std::vector<NativePoint> natives;
};

bool has_part(const TransportRun& run, const std::string& name) {
  const std::vector<ChosenTransport::Part>& parts = run.transport.parts;
  return std::any_of(parts.begin(), parts.end(), [&](const ChosenTransport::Part& part) { return part.known->name == name; });
}

bool has_native(const TransportRun& run, const std::string& what) {
  return std::any_of(run.natives.begin(), run.natives.end(), [&](const NativePoint& point) { return point.row->name == what; });
}

// Operations of a transport; none of two that are composed.
std::vector<NativePoint> native_points(const BenchOptions& options, const ChosenTransport& transport) {
  return transport.parts.size() == 1 ? make_native_points(options.sweep, *transport.parts.front().known)
                                     : std::vector<NativePoint>{};
}

// The transport whose operations are asked for, and nothing else; or what is best between these ranks.
std::vector<std::string> default_transports(const BenchOptions& options, const std::vector<KnownTransport>& known, int nodes) {
  const std::vector<std::string>& asked = options.sweep.collectives;
  for (const KnownTransport& transport : known)
    if (!asked.empty() &&
        std::all_of(asked.begin(), asked.end(), [&](const std::string& what) { return find_native(transport, what) != nullptr; }))
      return {transport.name};
  return {default_transport(nodes == 1)};
}

// What is to be compared with each other comes one after the other, and all of it several times: machines are slower for a while
// now and then (Chooser compares within each pass).
std::vector<Point> tuning_order(std::vector<Point> points) {
  constexpr int passes = 5;
  const auto place = [](const Point& point) { return std::pair(point.spec.algorithm->collective, point.bytes); };
  std::stable_sort(points.begin(), points.end(), [&](const Point& a, const Point& b) { return place(a) < place(b); });
  std::vector<Point> all;
  for (int pass = 0; pass < passes; ++pass) all.insert(all.end(), points.begin(), points.end());
  return all;
}

std::vector<TransportRun> make_runs(const BenchOptions& options, const std::vector<KnownTransport>& known, int ranks,
                                    int ranks_per_node, int nodes, const Figures& figures) {
  const std::vector<std::string> names =
      options.transports.empty() ? default_transports(options, known, nodes) : options.transports;
  std::vector<TransportRun> runs;
  for (const std::string& name : names) {
    TransportRun run;
    run.transport = choose_transport(known, name, options.settings);
    run.abilities = run.transport.open()->abilities();
    run.natives = native_points(options, run.transport);
    SweepOptions sweep = options.sweep;
    std::erase_if(sweep.collectives, [&](const std::string& what) { return has_native(run, what); });
    const Situation situation{name, nodes, figures.machine.cpu, options.session.device.memory_name, figures.machine.gpu};
    // "auto" takes algorithms of ours, to stand beside the library's own: those are no candidates, and not measured for it.
    const CollectiveTable* const library = options.tune ? nullptr : run.transport.library();
    if (run.natives.empty() || !sweep.collectives.empty())
      run.points = make_points(sweep, ranks, ranks_per_node, choice_of(figures.chooser, situation), library);
    if (options.tune) run.points = tuning_order(std::move(run.points));
    runs.push_back(std::move(run));
  }
  for (const auto& [name, settings] : options.settings)
    if (std::none_of(runs.begin(), runs.end(), [&](const TransportRun& run) { return has_part(run, name); }))
      throw Error(Fault::usage, "--set " + name + "." + settings.begin()->first + ": " + name + " is no transport of this run");
  return runs;
}

std::size_t count_points(const std::vector<TransportRun>& runs) {
  std::size_t points = 0;
  for (const TransportRun& run : runs) points += run.points.size() + run.natives.size();
  return points;
}

int measure_over(Group& group, const TransportRun& run, const SessionOptions& session, const ResultSink& add) {
  const int code = run.points.empty() ? 0 : run_session(group, run.transport, run.points, session, add);
  return more_severe(code, run_natives(group, run.transport, run.natives, session, add));
}

void skip_all_of(const TransportRun& run, const SessionOptions& session, const std::string& reason, Outputs& outputs) {
  for (const Point& point : run.points) outputs.add(skipped_result(point, run.transport.name, session, reason));
}

int run_processes(int ranks, const TransportRun& run, const SessionOptions& session, const std::string& arguments,
                  Outputs& outputs) {
  RankReport report;
  const LocalBody body = [&](int rank, const std::string& root_address, RootListener* own) {
    return run_rank({rank, ranks, rank, ranks, describe_host().name}, arguments, root_address, own, report, [&](Group& group) {
      return measure_over(group, run, session, [&](const Result& result) { report.tell(result); });
    });
  };
  LocalEvents events;
  events.descriptor = report.descriptor();
  events.readable = [&] { report.take({[&](const Result& result) { outputs.add(result); }, {}}); };
  events.explain = [&](int rank, int) { return report.sentence_of(rank); };
  const auto begin = std::chrono::system_clock::now();
  const int code = run_local(ranks, body, events);
  if (code != 0) remove_leftovers(run.transport, begin);
  return code;
}

// Says the cause of all of them, and returns the most severe of their exit codes.
int report_failures(const std::vector<std::exception_ptr>& thrown) {
  const std::exception_ptr cause = first_cause(thrown);
  int code = 0;
  for (const std::exception_ptr& each : thrown) {
    if (each == nullptr) continue;
    try {
      std::rethrow_exception(each);
    } catch (const std::exception& error) {
      const auto* const known = dynamic_cast<const Error*>(&error);
      code = more_severe(code, known == nullptr ? usage : static_cast<int>(known->fault()));
      if (each == cause) std::fprintf(stderr, "railgauge: %s\n", error.what());
    }
  }
  return code;
}

int run_threads(int ranks, const TransportRun& run, const SessionOptions& session, Outputs& outputs) {
  int code = 0;
  const Interruption interruption([&] { keep_finished(&outputs); }, Seconds(0),
                                  [&](const std::string& sentence) { end_interrupted(&outputs, sentence); });
  const auto body = [&](Group& group) {
    bind_rank(group.rank(), ranks);
    const int mine = measure_over(group, run, session, [&](const Result& result) { outputs.add(result); });
    if (group.rank() == 0) code = mine;
  };
  const auto thrown = run_as_threads(ranks, call_deadline, body, describe_host().name);
  return more_severe(code, report_failures(thrown));
}

int finish(Outputs& outputs, const BenchOptions& options, int code) {
  outputs.finish();
  code = more_severe(code, outputs.judge());
  if (options.strict && outputs.unconverged()) code = more_severe(code, static_cast<int>(Fault::inconclusive));
  return code;
}

void say_how_to_go_on() {
  std::fputs(
      "\nNext:\n"
      "  railgauge bench all --bytes 1K,1M                     every collective and algorithm\n"
      "  railgauge bench all_reduce --bytes 8:64M -o run.jsonl sizes of your own, results in a file\n"
      "  railgauge bench --help                                all options, with examples\n",
      stdout);
}

// While measurements are made anew, the old ones choose nothing.
std::string read_figures(const BenchOptions& options, const std::string& tuning) {
  return options.tune ? std::string() : read_tuning(tuning, !options.tuning.empty());
}

// Nobody asks a driver where there are no figures to choose by.
Machine machine_of(const std::string& figures, const SessionOptions& session) {
  return figures.empty() ? Machine() : this_machine(session.device);
}

int run_here(const BenchOptions& options, const Invocation& invocation, const std::vector<KnownTransport>& known,
             const std::string& tuning) {
  SessionOptions session = options.session;
  session.run = new_run_name();
  session.cores = allowed_cores();
  const int ranks = options.ranks.value_or(std::clamp(session.cores, 2, most_default_ranks));
  const std::string text = read_figures(options, tuning);
  const Figures figures = figures_of(text, tuning, machine_of(text, session));
  std::vector<TransportRun> runs = make_runs(options, known, ranks, options.sweep.ranks_per_node.value_or(ranks), 1, figures);
  // A process that has asked a GPU's driver, as ranks that are threads of it do, cannot be forked any more.
  if (session.device.table != nullptr)
    std::stable_partition(runs.begin(), runs.end(), [](const TransportRun& run) { return run.abilities.processes; });
  std::vector<std::string> notes{std::to_string(ranks) + " ranks on " + describe_host().name};
  if (!options.topology.empty())
    notes.emplace_back("expected: unknown, all ranks are on one host, and what its memory carries stands in no topology");
  Outputs outputs(options.outputs, options.format, describe_terminal(STDOUT_FILENO, invocation.colour), session.run,
                  count_points(runs), std::move(notes),
                  {topology_here(), told_environment(invocation.environment), {}, options.expect});
  const auto begin = std::chrono::steady_clock::now();
  int code = 0;
  for (const TransportRun& run : runs) {
    if (options.budget) session.budget = *options.budget - (std::chrono::steady_clock::now() - begin);
    const int its_code = run.abilities.processes ? run_processes(ranks, run, session, invocation.arguments, outputs)
                                                 : run_threads(ranks, run, session, outputs);
    code = more_severe(code, its_code);
    if (its_code != 0 && its_code != static_cast<int>(Fault::wrong_data)) break;
  }
  code = finish(outputs, options, code);
  if (options.first_look && code == 0) say_how_to_go_on();
  return code;
}

// Rank 0's result of `step` is everybody's: its Error(usage) ends all ranks, and only rank 0 says so.
bool agreed(Group& group, const std::function<void()>& step) {
  std::string problem;
  std::exception_ptr error;
  try {
    step();
  } catch (const Error& found) {
    problem = found.what();
    error = std::current_exception();
  }
  const auto text = std::as_bytes(std::span(problem));
  const Blob mine(text.begin(), text.end());
  const std::vector<Blob> all = group.allgather(mine);
  const auto first = std::find_if(all.begin(), all.end(), [](const Blob& blob) { return !blob.empty(); });
  if (first == all.end()) return true;
  if (error && first - all.begin() == group.rank()) std::rethrow_exception(error);
  return false;
}

int run_launched(const BenchOptions& options, const std::vector<KnownTransport>& known, const Launched& launched,
                 const std::string& tuning, const Invocation& invocation, std::unique_ptr<Outputs>& outputs,
                 std::atomic<Outputs*>& interruptible) {
  ControlTree& tree = *launched.tree;
  SessionOptions session = options.session;
  session.run = new_run_name();
  session.cores = allowed_cores();
  std::vector<TransportRun> runs;
  std::string text;
  if (!agreed(tree, [&] {
        if (options.tune && tree.rank() == 0) prepare_tuning(tuning);
        if (tree.rank() == 0) text = read_figures(options, tuning);
        (void)read_results(text, tuning);
      }))
    return exit_after_reporter(usage);
  const Figures figures = share_figures(tree, text, tuning, machine_of(text, session));
  Expected expected;
  if (!agreed(tree, [&] { expected = expect_of_hosts(tree, options.topology); })) return exit_after_reporter(usage);
  const Variables environment = told_environment(invocation.environment);
  std::vector<std::string> differing = differing_variables(tree, environment);
  const bool ready = agreed(tree, [&] {
    if (options.ranks && *options.ranks != tree.size())
      throw Error(Fault::usage, "--ranks " + std::to_string(*options.ranks) + ", but the launcher started " +
                                    std::to_string(tree.size()) + ": leave --ranks out");
    runs = make_runs(options, known, tree.size(), options.sweep.ranks_per_node.value_or(ranks_per_node_in_turn(tree)),
                     count_nodes(tree), figures);
    // Launchers give the ranks a terminal also where their own output is a file: plain lines are right in both.
    if (tree.rank() == 0) {
      std::vector<std::string> notes{std::to_string(tree.size()) + " ranks, rank 0 on " + launched.placement.node};
      if (!expected.note.empty()) notes.push_back(expected.note);
      outputs = std::make_unique<Outputs>(options.outputs, options.format, Terminal{}, session.run, count_points(runs),
                                          std::move(notes),
                                          Circumstances{expected.topology, environment, std::move(differing), options.expect});
    }
    interruptible = outputs.get();
  });
  if (!ready) return exit_after_reporter(usage);
  const auto begin = std::chrono::steady_clock::now();
  const auto since = std::chrono::system_clock::now();
  int code = 0;
  try {
    for (const TransportRun& run : runs) {
      if (options.budget) session.budget = *options.budget - (std::chrono::steady_clock::now() - begin);
      const char* const obstacle = !run.abilities.processes ? "its ranks are threads of one process, and a launcher started these"
                                   : !run.abilities.hosts && count_nodes(tree) > 1
                                       ? "its ranks share the memory of one host, and these are on several"
                                       : nullptr;
      if (obstacle != nullptr) {
        if (outputs) skip_all_of(run, session, obstacle, *outputs);
        continue;
      }
      code = more_severe(code, measure_over(tree, run, session, [&](const Result& result) {
                           outputs->add(with_expectation(result, expected.team));
                         }));
    }
  } catch (const Error& error) {
    if (outputs) outputs->finish();
    const Cause cause = cause_of(tree, error);
    tree.announce(cause.sentence);
    for (const TransportRun& run : runs) remove_leftovers(run.transport, since);
    // One sentence is enough for all who lost the same rank: rank 0's, or rank 1's about rank 0.
    const bool speaks = tree.rank() == 0 || error.fault() != Fault::lost || (tree.rank() == 1 && cause.lost_rank == 0);
    if (!speaks) return exit_after_reporter(static_cast<int>(error.fault()));
    std::fprintf(stderr, "railgauge: %s\n", cause.sentence.c_str());
    return static_cast<int>(error.fault());
  }
  return outputs ? finish(*outputs, options, code) : 0;
}

}  // namespace

int run_bench(const BenchOptions& given, const Invocation& invocation) {
  const auto as_rank = [&](const Invocation& its) { return run_bench(given, its); };
  if (const std::optional<int> code = run_spread(invocation, as_rank)) return *code;
  const std::vector<KnownTransport> known = known_transports(invocation.plugin_folders);
  const Environment environment = environment_of(invocation);
  BenchOptions options = given;
  const std::string tuning = options.tuning.empty() ? default_tuning_path(environment) : options.tuning;
  if (options.tune) options.outputs.push_back(aside_of(tuning));
  const auto published = [&](int code) {
    if (options.tune && code == 0) publish_tuning(tuning);
    return code;
  };
  std::atomic<Outputs*> outputs{nullptr};
  std::unique_ptr<Outputs> owned;
  std::optional<Interruption> interruption;
  if (joins(detect_launch(environment)))
    interruption.emplace([&] { keep_finished(outputs); }, launcher_patience,
                         [&](const std::string& sentence) { end_interrupted(outputs, sentence); });
  try {
    const Launched launched =
        join_launched(environment, invocation.plugin_folders, invocation.arguments, {rendezvous_deadline(environment)});
    if (launched.tree) {
      const int code = run_launched(options, known, launched, tuning, invocation, owned, outputs);
      return launched.tree->rank() == 0 ? published(code) : code;
    }
  } catch (const Refused& refused) { return exit_after_reporter(static_cast<int>(refused.fault())); }
  interruption.reset();  // the supervisor has its own way, and forks
  if (options.tune) prepare_tuning(tuning);
  return published(run_here(options, invocation, known, tuning));
}

}  // namespace railgauge

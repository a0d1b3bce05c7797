// Finds out who the ranks are, runs the sessions, and brings their results to the writers.
#include "bench/run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
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
#include "bench/run/forecast.hpp"
#include "bench/run/outputs.hpp"
#include "bench/run/silence.hpp"
#include "bench/run/transport_runs.hpp"
#include "bench/select/tuning.hpp"
#include "bench/select/tuning_order.hpp"
#include "bench/select/winners.hpp"
#include "bench/session/natives.hpp"
#include "bench/session/point_result.hpp"
#include "reports/record/reader.hpp"
#include "reports/record/result_text.hpp"
#include "topo/read/request.hpp"
#include "transports/oversubscribed.hpp"

namespace railgauge {
namespace {

constexpr int usage = static_cast<int>(Fault::usage);
constexpr Seconds call_deadline{60};
constexpr int most_default_ranks = 8;
// A launcher ends all ranks by a signal when one is lost. Who names that one does so within this time, before the launcher
// insists.
constexpr Seconds launcher_patience{0.3};

int measure_over(Group& group, const TransportRun& run, const SessionOptions& session, const ResultSink& add) {
  const int code = run.points.empty() ? 0 : run_session(group, run.transport, run.points, session, add);
  return more_severe(code, run_natives(group, run.transport, run.natives, session, add));
}

// Of rank 0 of a run: what it is busy with is said once, where the first result takes longer than a reader would wait for it.
class Impatience {
 public:
  Impatience(int rank, int ranks) {
    if (rank == 0)
      silence_.emplace(patience, "waiting for " + plural(static_cast<std::size_t>(ranks), "rank") + " to meet",
                       [](const std::string& sentence) { std::fprintf(stderr, "railgauge: %s\n", sentence.c_str()); });
  }

  // measure_over() with news for it.
  int measure(Group& group, const TransportRun& run, SessionOptions session, const ResultSink& add) {
    if (!silence_) return measure_over(group, run, session, add);
    session.doing = [this](const std::string& what) { silence_->doing(what); };
    return measure_over(group, run, session, [&](const Result& result) {
      silence_->heard();
      add(result);
    });
  }

 private:
  static constexpr Seconds patience{5};
  std::optional<Silence> silence_;
};

void skip_all_of(const TransportRun& run, const SessionOptions& session, int nodes, const std::string& reason, Outputs& outputs) {
  for (const Case& point : run.skipped) outputs.add(skipped_result(point, session, reason));
  for (const Point& point : run.points) {
    Case its = case_of(point, run.transport.name, session);
    its.nodes = nodes;
    outputs.add(skipped_result(std::move(its), session, reason));
  }
}

bool lacks_a_transport(const std::vector<TransportRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const TransportRun& run) { return !run.absent.empty(); });
}

int run_processes(int ranks, const TransportRun& run, const SessionOptions& session, const std::string& arguments,
                  Outputs& outputs) {
  RankReport report;
  const LocalBody body = [&](int rank, const std::string& root_address, RootListener* own) {
    Impatience impatience(rank, ranks);
    return run_rank({rank, ranks, rank, ranks, describe_host().name}, arguments, root_address, own, report, [&](Group& group) {
      return impatience.measure(group, run, session, [&](const Result& result) { report.tell(result); });
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
    Impatience impatience(group.rank(), ranks);
    const int mine = impatience.measure(group, run, session, [&](const Result& result) { outputs.add(result); });
    if (group.rank() == 0) code = mine;
  };
  const auto thrown = run_as_threads(ranks, call_deadline, body, describe_host().name);
  return more_severe(code, report_failures(thrown));
}

// Of the ranks on these hosts, where a topology is named; its notes go behind `notes`.
std::function<std::optional<Seconds>(const Case&)> forecast_of(const BenchOptions& options, const std::vector<std::string>& hosts,
                                                               std::vector<std::string>& notes) {
  if (options.topology.empty()) return {};
  const std::string memory = options.session.device.memory_name;
  const auto forecast = std::make_shared<Forecast>(topo::graph_of_files(options.topology),
                                                   RankPlaces{hosts, memory == "cuda" || memory == "managed",
                                                              static_cast<unsigned>(options.sweep.ranks_per_node.value_or(0))});
  notes.insert(notes.end(), forecast->notes().begin(), forecast->notes().end());
  return [forecast](const Case& point) { return forecast->of(point); };
}

int finish(Outputs& outputs, const BenchOptions& options, bool lacking, int code) {
  outputs.finish();
  code = more_severe(code, outputs.judge());
  if (options.strict && (outputs.unconverged() || lacking)) code = more_severe(code, static_cast<int>(Fault::inconclusive));
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

// What is left for one of the runs. Tuning shares it equally between the transports that are still to come.
std::optional<Seconds> budget_left(const BenchOptions& options, const std::vector<TransportRun>& runs, const TransportRun& run,
                                   Seconds elapsed) {
  if (!options.budget) return std::nullopt;
  const Seconds left = *options.budget - elapsed;
  const auto to_come = std::count_if(runs.begin() + (&run - runs.data()), runs.end(),
                                     [](const TransportRun& other) { return other.absent.empty(); });
  return options.tune ? left / static_cast<double>(std::max<std::ptrdiff_t>(to_come, 1)) : left;
}

int run_here(const BenchOptions& options, const Invocation& invocation, const std::vector<KnownTransport>& known,
             const std::string& tuning) {
  SessionOptions session = options.session;
  session.run = new_run_name();
  session.cores = allowed_cores();
  const int ranks = options.ranks.value_or(options.sensible_ranks.value_or(std::clamp(session.cores, 2, most_default_ranks)));
  const std::string text = read_figures(options, tuning);
  const Figures figures = figures_of(text, tuning, machine_of(text, session));
  std::vector<TransportRun> runs = make_runs(options, known, {ranks, options.sweep.ranks_per_node.value_or(ranks)}, figures);
  // A process that has asked a GPU's driver, as ranks that are threads of it do, cannot be forked any more.
  if (session.device.table != nullptr)
    std::stable_partition(runs.begin(), runs.end(), [](const TransportRun& run) { return run.abilities.processes; });
  std::vector<std::string> notes{std::to_string(ranks) + " ranks on " + describe_host().name};
  if (!options.topology.empty())
    notes.emplace_back("expected: unknown, all ranks are on one host, and what its memory carries stands in no topology");
  if (const std::string absent = left_out(options, known); !absent.empty()) notes.push_back(absent);
  for (std::string& line : folder_notes(options.sweep, ranks)) notes.push_back(std::move(line));
  auto predicted = forecast_of(options, std::vector<std::string>(static_cast<std::size_t>(ranks), describe_host().name), notes);
  Outputs outputs(options.outputs, options.format, describe_terminal(STDOUT_FILENO, invocation.colour), session.run,
                  count_points(runs), std::move(notes),
                  {topology_here(), told_environment(invocation.environment), {}, options.expect, std::move(predicted)});
  if (ranks > session.cores) warn_of_oversubscription({{describe_host().name, ranks, session.cores}});
  const auto begin = std::chrono::steady_clock::now();
  int code = 0;
  for (const TransportRun& run : runs) {
    if (!run.absent.empty()) {
      skip_all_of(run, session, 1, run.absent, outputs);
      continue;
    }
    session.budget = budget_left(options, runs, run, std::chrono::steady_clock::now() - begin);
    const int its_code = run.abilities.processes ? run_processes(ranks, run, session, invocation.arguments, outputs)
                                                 : run_threads(ranks, run, session, outputs);
    code = more_severe(code, its_code);
    if (its_code != 0 && its_code != static_cast<int>(Fault::wrong_data)) break;
  }
  code = finish(outputs, options, lacks_a_transport(runs), code);
  if (options.first_look && code == 0) say_how_to_go_on();
  return code;
}

// Says what was found out, where standard output is for people.
void keep_tuning(const BenchOptions& options, const std::string& tuning) {
  const std::string aside = aside_of(tuning);
  const std::string winners = winners_text(read_results(read_tuning(aside, true), aside), tuning_passes);
  publish_tuning(tuning);
  if (std::find(options.outputs.begin(), options.outputs.end(), "-") != options.outputs.end()) return;
  fmt::print("{}\nkept in {}: --algorithm auto, the default, goes by it\n", winners, tuning);
}

int measure_launched(const BenchOptions& options, const std::vector<KnownTransport>& here, const Launched& launched,
                     const std::string& tuning, const Invocation& invocation, std::unique_ptr<Outputs>& outputs,
                     std::atomic<Outputs*>& interruptible, std::vector<TransportRun>& runs) {
  ControlTree& tree = *launched.tree;
  SessionOptions session = options.session;
  session.run = new_run_name();
  session.cores = allowed_cores();
  const std::vector<KnownTransport> known = available_to_all(tree, here);
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
    const int per_node = options.sweep.ranks_per_node.value_or(ranks_per_node_in_turn(tree));
    runs = make_runs(options, known, {tree.size(), per_node, count_nodes(tree), true}, figures);
    // Launchers give the ranks a terminal also where their own output is a file: plain lines are right in both.
    if (tree.rank() == 0) {
      std::vector<std::string> notes{std::to_string(tree.size()) + " ranks, rank 0 on " + launched.placement.node};
      if (!expected.note.empty()) notes.push_back(expected.note);
      if (const std::string absent = left_out(options, known); !absent.empty()) notes.push_back(absent);
      for (std::string& line : folder_notes(options.sweep, tree.size())) notes.push_back(std::move(line));
      auto predicted = forecast_of(options, tree.nodes(), notes);
      outputs = std::make_unique<Outputs>(
          options.outputs, options.format, Terminal{}, session.run, count_points(runs), std::move(notes),
          Circumstances{expected.topology, environment, std::move(differing), options.expect, std::move(predicted)});
    }
    interruptible = outputs.get();
  });
  if (!ready) return exit_after_reporter(usage);
  const std::vector<OversubscribedHost> full_hosts = oversubscribed_hosts(tree);
  if (tree.rank() == 0) warn_of_oversubscription(full_hosts);
  if (nodes_share_cores(full_hosts)) session.oversubscribed = true;  // as --shared-cores has it
  Impatience impatience(tree.rank(), tree.size());
  const auto begin = std::chrono::steady_clock::now();
  int code = 0;
  for (const TransportRun& run : runs) {
    session.budget = budget_left(options, runs, run, std::chrono::steady_clock::now() - begin);
    const std::string obstacle = !run.absent.empty()        ? run.absent
                                 : !run.abilities.processes ? "its ranks are threads of one process, and a launcher started these"
                                 : !run.abilities.hosts && count_nodes(tree) > 1
                                     ? "its ranks share the memory of one host, and these are on several"
                                     : "";
    if (!obstacle.empty()) {
      if (outputs) skip_all_of(run, session, count_nodes(tree), obstacle, *outputs);
      continue;
    }
    code = more_severe(code, impatience.measure(tree, run, session, [&](const Result& result) {
      outputs->add(with_expectation(result, expected.team));
    }));
  }
  return code;
}

int run_launched(const BenchOptions& options, const std::vector<KnownTransport>& here, const Launched& launched,
                 const std::string& tuning, const Invocation& invocation, std::unique_ptr<Outputs>& outputs,
                 std::atomic<Outputs*>& interruptible) {
  const auto since = std::chrono::system_clock::now();
  std::vector<TransportRun> runs;
  int code = 0;
  try {
    code = measure_launched(options, here, launched, tuning, invocation, outputs, interruptible, runs);
  } catch (const Error& error) {
    if (outputs) outputs->finish();
    return end_launched(*launched.tree, error, [&] {
      for (const TransportRun& run : runs)
        if (run.absent.empty()) remove_leftovers(run.transport, since);
    });
  }
  return outputs ? finish(*outputs, options, lacks_a_transport(runs), code) : code;
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
    if (options.tune && code == 0) keep_tuning(options, tuning);
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
  } catch (const Refused& refused) { return end_refused(refused); }
  interruption.reset();  // the supervisor has its own handlers, and forks
  if (options.tune) prepare_tuning(tuning);
  return published(run_here(options, invocation, known, tuning));
}

}  // namespace railgauge

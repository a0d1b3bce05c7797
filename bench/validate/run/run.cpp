// Processes, stages, and what they come to.
#include "bench/validate/run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/version.hpp"
#include "bench/agents/agent.hpp"
#include "bench/group/host.hpp"
#include "bench/launch/bootstrap.hpp"
#include "bench/launch/local.hpp"
#include "bench/ranks/node_launch.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/validate/method/outcome.hpp"
#include "bench/validate/preflight/read.hpp"
#include "bench/validate/run/local_agents.hpp"
#include "bench/validate/stages/journal.hpp"
#include "bench/validate/stages/map.hpp"
#include "bench/validate/stages/port_evidence.hpp"
#include "bench/validate/stages/stages.hpp"
#include "bench/validate/stages/switches.hpp"
#include "bench/validate/stages/thresholds.hpp"
#include "bench/validate/tasks/tasks.hpp"
#include "bench/workload/models/fitted.hpp"
#include "reports/validation/writers.hpp"
#include "topo/fingerprint.hpp"
#include "topo/ratios.hpp"

namespace railgauge::validate {
namespace {

using agents::Conductor;

constexpr Seconds refusing{5};  // until the others have come, to be told that there is nothing to do
constexpr int most_default_ranks = 4;
constexpr std::chrono::seconds fabric_deadline{40};  // of a live one: the others wait for as long as agents::Patience says

// With the other ranks of a node once the conductor's has ended: longer than somebody's who is stopped
// (bench/validate/run/local_agents.cpp).
constexpr Seconds stragglers{20};

// Not of a failure to measure: that one has a sentence.
bool is_verdict(int code) { return code != 0 && code != static_cast<int>(Fault::usage); }

constexpr Seconds unknown_gap{60};  // between what a journal has and what is measured now

// The run was interrupted while a stage was in progress.
class Interrupted {};

std::string utc_now() {
  std::array<char, 32> text{};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

// `alone`: there are no pairs then, and a first look is at what one host can do by itself.
std::vector<const StageRow*> chosen_stages(const ValidateOptions& options, bool alone = false) {
  const auto known = [&](const std::string& name) {
    std::string names;
    for (const StageRow& row : stages()) {
      if (row.name == name) return;
      names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    throw Error(Fault::usage, fmt::format("there is no stage '{}': choose from {}", name, names));
  };
  for (const std::string& name : options.stages) known(name);
  for (const std::string& name : options.skip) known(name);
  const auto in = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<const StageRow*> chosen;
  for (const StageRow& row : stages()) {
    const bool quick =
        row.when_quick || (alone && row.when_alone) || (row.thresholds && !options.run.least.empty()) || row.workload;
    if (row.workload && options.run.workload.empty()) {
      if (in(options.stages, row.name)) throw Error(Fault::usage, "the stage workload runs a model: name one with --workload");
      continue;
    }
    const bool runs = options.stages.empty() ? !row.when_asked && (!options.run.quick || quick) : in(options.stages, row.name);
    if (runs && !in(options.skip, row.name)) chosen.push_back(&row);
  }
  if (chosen.empty()) throw Error(Fault::usage, "no stage is left to run: --skip leaves out all that --stages names");
  return chosen;
}

// Throws Error(usage) for what is wrong with the options, before anybody measures.
void check(const ValidateOptions& options) {
  const std::vector<const StageRow*> chosen = chosen_stages(options);
  if (!options.run.least.empty() &&
      std::none_of(chosen.begin(), chosen.end(), [](const StageRow* row) { return row->thresholds; }))
    throw Error(Fault::usage, "--expect is compared with the stage groups, which --stages or --skip leaves out");
  if (!options.run.workload.empty()) {
    if (std::none_of(chosen.begin(), chosen.end(), [](const StageRow* row) { return row->workload; }))
      throw Error(Fault::usage, "--workload is for the stage workload, which --stages or --skip leaves out");
    models::expect_model(options.run.workload);
  } else if (options.run.workload_scale) {
    throw Error(Fault::usage, "--scale is that of a --workload");
  } else if (options.run.step_most) {
    throw Error(Fault::usage, "--expect step=" + options.run.step_most->words + " is of the step of a --workload: name one");
  }
  for (const std::string& path : options.outputs) validation::expect_writable(path, options.format);
}

// The fabric between the hosts, and what people call it.
struct Topology {
  topo::Graph graph;
  std::string origin;
};

// Nothing where none was asked for. Throws Error(usage). Only to be called while this process has one thread.
std::optional<Topology> read_topology(const ValidateOptions& options) {
  topo::SourceOptions sources = options.topology;
  if (sources.sources.empty() && !sources.fabric) return std::nullopt;
  sources.fabric_deadline = fabric_deadline;
  sources.counters = sources.fabric;
  Topology topology{topo::graph_of(sources), {}};
  for (const std::string& source : sources.sources) topology.origin += (topology.origin.empty() ? "" : " with ") + source;
  if (sources.fabric) topology.origin += topology.origin.empty() ? "the live fabric" : " with the live fabric";
  return topology;
}

// Cables decide the pairing: a journal of other cables is of another validation.
std::string digits_of_cables(const topo::Graph& graph) {
  std::string text;
  for (const topo::Link& link : graph.links)
    if (link.kind == topo::LinkKind::infiniband || link.kind == topo::LinkKind::ethernet || link.kind == topo::LinkKind::tree)
      text += topo::link_key(link) + "\n";
  return topo::digits_of(text);
}

// Who took part, and what is measured: a journal of other things says nothing here.
// Files that are written, and the budget, may be others when it goes on.
std::string about(const ValidateOptions& options, const std::optional<Topology>& topology, const std::vector<Member>& members) {
  const ValidationOptions& given = options.run;
  std::string text = fmt::format("railgauge {}, seed {}:", version(), given.seed);
  for (const Member& member : members) text += " " + member.node;
  if (topology) text += ", cables " + digits_of_cables(topology->graph);
  text += fmt::format("; {} of {} in {} memory, {:g} s each, {} within hosts, quick {}, rounds {}", given.bytes, given.transport,
                      options.session.device.memory_name, given.measured.count(), given.inside, given.quick,
                      given.rounds.value_or(0));
  if (!given.workload.empty()) text += fmt::format(", {} scaled by {:g}", given.workload, given.workload_scale.value_or(0));
  for (const auto& [transport, settings] : options.settings)
    for (const auto& [name, value] : settings) text += fmt::format(", {}.{}={}", transport, name, value);
  for (const auto* const names : {&options.stages, &options.skip}) {
    text += names == &options.stages ? ", stages" : ", without";
    for (const std::string& name : *names) text += " " + name;
  }
  return text;
}

class Conducting {
 public:
  Conducting(const ValidateOptions& options, const std::string& arguments, HeldSignals& signals)
      : options_(options), arguments_(arguments), signals_(signals) {}

  int conduct(RootListener own, int size, const std::string& launcher, const std::optional<Topology>& topology) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string begun = utc_now();
    std::optional<Conductor> conductor(std::in_place, std::move(own), size, arguments_, options_.patience);
    conductor->meet(go_on());
    if (!options_.journal.empty()) journal_.emplace(options_.journal, about(options_, topology, conductor->members()));
    ValidationRun run(conductor->members(), options_.run, [&](const std::string& key, std::vector<Order> orders) {
      return carry_out(*conductor, key, std::move(orders));
    });
    run.found.run = new_run_name();
    run.found.begun = begun;
    run.found.version = version();
    run.found.launcher = launcher;
    run.found.budget = options_.budget;
    bool interrupted = false;
    try {
      learn(run, topology);
      check_thresholds(run);
    } catch (const Interrupted&) { interrupted = true; }
    const std::vector<const StageRow*> chosen = chosen_stages(options_, run.fleet.hosts.size() == 1);
    double shares = 0;
    for (const StageRow* row : chosen) {
      shares += row->share;
      run.watches = run.watches || row->run == &run_watch;
    }
    for (const StageRow* row : chosen) {
      validation::Stage told;
      told.name = row->name;
      const auto stage_begin = std::chrono::steady_clock::now();
      const Seconds left = options_.budget - Seconds(stage_begin - begin);
      const Seconds mine = std::max(Seconds(0), left * (row->share / shares));
      shares -= row->share;
      told.budget = mine;
      run.until = stage_begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(mine);
      resumed_ = 0;
      if (interrupted || mine <= Seconds(0)) {
        told.state = validation::StageState::skipped;
        told.reason = interrupted ? "the run was interrupted" : "the time budget was used up";
      } else {
        const bool first = run.found.figures.empty() && run.found.pairs.empty() && run.found.diagnoses.empty();
        try {
          row->run(run, told);
        } catch (const Interrupted&) {
          interrupted = true;
          told.state = validation::StageState::cut_short;
          told.reason = "the run was interrupted";
        } catch (const Error& error) {
          // What was found before is not lost for it.
          if (first) throw;
          told.state = validation::StageState::cut_short;
          told.reason = error.what();
        }
      }
      told.resumed = resumed_ > 0;
      told.took = Seconds(std::chrono::steady_clock::now() - stage_begin);
      run.found.stages.push_back(std::move(told));
    }
    tell_unwatched(run);
    run.found.stages.front().notes.insert(run.found.stages.front().notes.begin(), run.notes.begin(), run.notes.end());
    conductor.reset();  // and its thread
    if (topology) read_ports_again(run, *topology);
    run.found.map = map_of(run.fleet, run.found, run.faulty);
    run.found.took = Seconds(std::chrono::steady_clock::now() - begin);
    conclude(run.found, interrupted, unanswered_thresholds(options_.run, run.found));
    std::fputs(validation::to_text(run.found, describe_terminal(STDOUT_FILENO, true)).c_str(), stdout);
    for (const std::string& path : options_.outputs) validation::write_file(run.found, path, options_.format);
    return validation::exit_code(run.found);
  }

 private:
  static void learn(ValidationRun& run, const std::optional<Topology>& topology) {
    if (topology) {
      learn_switches(run, topology->graph, topology->origin);
      return;
    }
    std::vector<std::string> names;
    for (const Host& host : run.fleet.hosts) names.push_back(host.name);
    run.found.unread.push_back(
        {"switches and cables", "no topology was given: --topology FILE, or --fabric for a live one", std::move(names)});
  }

  // Of a live fabric, where somebody is faulty.
  void read_ports_again(ValidationRun& run, const Topology& before) const {
    const std::vector<validation::Diagnosis>& diagnoses = run.found.diagnoses;
    if (std::none_of(diagnoses.begin(), diagnoses.end(), [](const validation::Diagnosis& it) { return it.faulty; })) return;
    const std::vector<validation::Stage>& stages = run.found.stages;
    if (std::any_of(stages.begin(), stages.end(), [](const validation::Stage& it) { return it.resumed; })) {
      add_port_evidence(run.found, run.fleet, before.graph, nullptr, "part of what is told was measured in an earlier start");
      return;
    }
    if (!options_.topology.fabric) {
      add_port_evidence(run.found, run.fleet, before.graph, nullptr, "the topology is not that of a live fabric (--fabric)");
      return;
    }
    try {
      const std::optional<Topology> now = read_topology(options_);
      add_port_evidence(run.found, run.fleet, before.graph, now ? &now->graph : nullptr, {});
    } catch (const Error& error) { add_port_evidence(run.found, run.fleet, before.graph, nullptr, error.what()); }
  }

  [[nodiscard]] std::function<bool()> go_on() {
    return [this] { return signals_.first() == 0; };
  }

  std::vector<std::vector<Answer>> carry_out(Conductor& conductor, const std::string& key, std::vector<Order> orders) {
    if (journal_)
      if (const auto* known = journal_->find(key, orders)) {
        ++resumed_;
        // What is measured now comes after it, and how long after is not known.
        for (const std::vector<Answer>& each : *known)
          for (const Answer& answer : each) before_ = std::max(before_, answer.begun + unknown_gap);
        return *known;
      }
    const Seconds begun = before_ + Seconds(std::chrono::steady_clock::now() - begin_);
    auto answers = conductor.carry_out(std::move(orders), go_on());
    for (std::vector<Answer>& each : answers)
      for (Answer& answer : each) answer.begun = begun;
    if (signals_.first() != 0) throw Interrupted();
    // Who was lost then may be there when it goes on: that is asked again.
    const bool whole = std::none_of(answers.begin(), answers.end(), [](const std::vector<Answer>& each) {
      return std::any_of(each.begin(), each.end(), [](const Answer& answer) { return agents::lost(answer.ending); });
    });
    if (journal_ && whole) journal_->add(key, answers);
    return answers;
  }

  const ValidateOptions& options_;
  const std::string& arguments_;
  HeldSignals& signals_;
  std::optional<Journal> journal_;
  std::size_t resumed_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Seconds before_{};  // that an earlier start took
};

}  // namespace

int run_validate(const ValidateOptions& given, const Invocation& invocation) {
  const auto as_rank = [&](const Invocation& its) { return run_validate(given, its); };
  LocalEvents ends;
  ends.is_result = [](int rank, int code) { return rank == 0 && is_verdict(code) ? std::optional(stragglers) : std::nullopt; };
  ends.most_stopped = std::nullopt;  // an agent that does not answer is a finding, and the others go on
  if (const std::optional<int> code = run_spread(invocation, as_rank, ends)) return *code;
  const Environment environment = environment_of(invocation);
  ValidateOptions options = given;
  if (environment("RAILGAUGE_RENDEZVOUS_TIMEOUT")) options.patience.rendezvous = rendezvous_deadline(environment);
  TaskOptions tasks;
  tasks.plugin_folders = invocation.plugin_folders;
  tasks.transport = options.run.transport;
  tasks.settings = options.settings;
  tasks.session = options.session;
  tasks.session.cores = allowed_cores();
  for (const std::string& name : topo::preflight::granting_variables())
    if (const auto value = environment(name)) tasks.environment.emplace_back(name, *value);
  const agents::Work work = make_work(tasks);

  agents::AgentOptions agent;
  agent.arguments = invocation.arguments;
  agent.network.network = options.network;
  agent.rendezvous = options.patience.rendezvous;
  const Launch launch = detect_launch(environment);
  Bootstrap bootstrap = make_bootstrap(environment, invocation.plugin_folders, options.patience.rendezvous, options.network);
  if (bootstrap.launched) {
    if (options.ranks && *options.ranks != bootstrap.placement.size)
      throw Error(Fault::usage, fmt::format("--ranks {}, but the launcher started {}: leave --ranks out", *options.ranks,
                                            bootstrap.placement.size));
    agent.placement = bootstrap.placement;
    agent.address = bootstrap.address;
    const auto agent_of_rank = [&] { return agents::run_agent(agent, work); };
    HeldSignals signals;
    if (agent.placement.rank != 0) return live_guarded(signals, agent_of_rank);
    std::optional<LocalAgents> local_agents(std::in_place, signals);
    local_agents->start([&] {
      bootstrap.own->close();
      return agent_of_rank();
    });
    std::optional<Topology> topology;
    try {
      check(options);
      topology = read_topology(options);
    } catch (const Error&) {
      // The others have started, and would wait for long.
      Conductor(std::move(*bootstrap.own), agent.placement.size, invocation.arguments, {refusing, refusing}).meet([] {
        return true;
      });
      throw;
    }
    Conducting conducting(options, invocation.arguments, signals);
    const int code = conducting.conduct(std::move(*bootstrap.own), agent.placement.size, launch.launcher, topology);
    if (code != static_cast<int>(Fault::lost) || !bootstrap.end_all) return code;
    // The launcher would wait for who was stopped, and take the signal that ended another for the code of all.
    local_agents.reset();
    std::fflush(nullptr);
    bootstrap.end_all(code);
    return code;
  }
  const int ranks = options.ranks.value_or(std::clamp(allowed_cores(), 2, most_default_ranks));
  check(options);
  const std::optional<Topology> topology = read_topology(options);
  HeldSignals signals;
  Conducting conducting(options, invocation.arguments, signals);
  RootListener own(Reach::machine);
  agent.address = own.address();
  agent.network.reach = Reach::machine;
  const std::string node = describe_host().name;
  LocalAgents local_agents(signals);
  for (int rank = 0; rank < ranks; ++rank) {
    agent.placement = {rank, ranks, rank, ranks, node};
    local_agents.start([&] {
      own.close();
      return agents::run_agent(agent, work);
    });
  }
  return conducting.conduct(std::move(own), ranks, {}, topology);
}

}  // namespace railgauge::validate

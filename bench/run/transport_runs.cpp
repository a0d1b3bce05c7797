// Looks up the transports of a run and makes their points.
#include "bench/run/transport_runs.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "bench/group/gather_json.hpp"
#include "bench/group/nodes.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/select/tuning_order.hpp"
#include "transports/collectives.hpp"

namespace railgauge {
namespace {

bool has_part(const TransportRun& run, const std::string& name) {
  const std::vector<ChosenTransport::ConfiguredTransport>& parts = run.transport.parts;
  return std::any_of(parts.begin(), parts.end(),
                     [&](const ChosenTransport::ConfiguredTransport& part) { return part.known->name == name; });
}

bool offers(const KnownTransport& transport, const std::string& what) {
  return find_native(transport, what) != nullptr ||
         std::any_of(transport.operations.begin(), transport.operations.end(),
                     [&](const KnownOperation& operation) { return operation.name == what; });
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
        std::all_of(asked.begin(), asked.end(), [&](const std::string& what) { return offers(transport, what); }))
      return {transport.name};
  return {default_transport(nodes == 1)};
}

// A transport that takes memory of the host takes all, through copies; another takes its own kinds.
bool serves(const Abilities& abilities, MemoryKind memory, const Team& team) {
  if (team.launched && !abilities.processes) return false;
  if (team.nodes > 1 && !abilities.hosts) return false;
  const auto has = [](const std::vector<MemoryKind>& kinds, MemoryKind kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  return has(abilities.memory, MemoryKind::host) || has(abilities.memory, memory) || has(abilities.tries, memory);
}

bool asks_for_all(const BenchOptions& options) {
  return std::find(options.transports.begin(), options.transports.end(), "all") != options.transports.end();
}

std::vector<std::string> all_that_serve(const BenchOptions& options, const std::vector<KnownTransport>& known, const Team& team) {
  std::vector<std::string> names;
  for (const KnownTransport& transport : known) {
    if (transport.table == nullptr) continue;
    const auto settings = options.settings.find(transport.name);
    const Abilities abilities =
        transport.table->open(settings == options.settings.end() ? Settings{} : settings->second)->abilities();
    if (serves(abilities, options.session.device.memory, team)) names.push_back(transport.name);
  }
  return names;
}

std::vector<std::string> transport_names(const BenchOptions& options, const std::vector<KnownTransport>& known,
                                         const Team& team) {
  std::vector<std::string> by_default = default_transports(options, known, team.nodes);
  if (options.transports.empty()) return by_default;
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& more) {
    for (const std::string& name : more)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const bool one_offers = std::any_of(known.begin(), known.end(), [&](const KnownTransport& transport) {
    return by_default.front() == transport.name && !options.sweep.collectives.empty() &&
           offers(transport, options.sweep.collectives.front());
  });
  for (const std::string& name : options.transports)
    add(name != "all" ? std::vector{name} : one_offers ? by_default : all_that_serve(options, known, team));
  return names;
}

// In place of a library that is not there: it may offer all.
std::string no_refusal(const CollectiveCall&) { return {}; }

const CollectiveTable& any_library() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> each;
    for (const CollectiveRow& row : collectives()) each.push_back(row.collective);
    return each;
  }();
  static const CollectiveTable table{.collectives = all, .refusal = no_refusal};
  return table;
}

// Each operation that was asked for, at each size, as it would have been measured.
std::vector<Case> operations_of(const BenchOptions& options, const KnownTransport& transport, const Team& team) {
  std::vector<Case> cases;
  for (const std::string& asked : options.sweep.collectives)
    for (const KnownOperation& operation : transport.operations) {
      if (operation.name != asked) continue;
      const std::vector<std::uint64_t> sizes =
          operation.only_bytes != 0 ? std::vector{operation.only_bytes} : parse_sizes(options.sweep.bytes, options.sweep.factor);
      for (const NativeMeasurement measurement : chosen_measurements(options.sweep))
        for (const std::uint64_t bytes : sizes)
          cases.push_back(native_case(asked, measurement, transport.name, team.ranks, team.nodes, bytes));
    }
  return cases;
}

TransportRun absent_run(const BenchOptions& options, const std::vector<KnownTransport>& known, const std::string& name,
                        const std::string& reason, const Team& team, const Figures& figures) {
  TransportRun run;
  run.absent = reason;
  run.transport.name = name;
  for (const KnownTransport& transport : known)
    if (name == transport.name || name.starts_with(transport.name + "+") || name.ends_with("+" + transport.name))
      run.transport.parts.push_back({&transport, {}});
  SweepOptions sweep = options.sweep;
  if (run.transport.parts.size() == 1) {
    const KnownTransport& only = *run.transport.parts.front().known;
    run.skipped = operations_of(options, only, team);
    std::erase_if(sweep.collectives, [&](const std::string& what) { return offers(only, what); });
  }
  if (!run.skipped.empty() && sweep.collectives.empty()) return run;
  const bool native = std::find(sweep.algorithms.begin(), sweep.algorithms.end(), "native") != sweep.algorithms.end();
  const Situation situation{name, team.nodes, figures.machine.cpu, options.session.device.memory_name, figures.machine.gpu};
  run.points = make_points(sweep, team.ranks, team.ranks_per_node, choice_of(figures.chooser, situation, sweep.stored),
                           native ? &any_library() : nullptr);
  for (Point& point : run.points) point.refusal = reason;
  return run;
}

TransportRun make_run(const BenchOptions& options, const std::vector<KnownTransport>& known, const std::string& name,
                      const Team& team, const Figures& figures) {
  TransportRun run;
  run.transport = choose_transport(known, name, options.settings);
  run.abilities = run.transport.open()->abilities();
  run.natives = native_points(options, run.transport);
  SweepOptions sweep = options.sweep;
  std::erase_if(sweep.collectives, [&](const std::string& what) {
    return std::any_of(run.natives.begin(), run.natives.end(), [&](const NativePoint& point) { return point.row->name == what; });
  });
  const Situation situation{name, team.nodes, figures.machine.cpu, options.session.device.memory_name, figures.machine.gpu};
  // "auto" takes algorithms of ours, to stand beside the library's own: those are no candidates, and not measured for it.
  const CollectiveTable* const library = options.tune ? nullptr : run.transport.library();
  if (run.natives.empty() || !sweep.collectives.empty())
    run.points =
        make_points(sweep, team.ranks, team.ranks_per_node, choice_of(figures.chooser, situation, sweep.stored), library);
  if (options.tune) run.points = tuning_order(std::move(run.points), options.budget.has_value());
  return run;
}

}  // namespace

std::vector<TransportRun> make_runs(const BenchOptions& options, const std::vector<KnownTransport>& known, const Team& team,
                                    const Figures& figures) {
  std::vector<TransportRun> runs;
  for (const std::string& name : transport_names(options, known, team)) {
    const std::string reason = why_unavailable(known, name);
    runs.push_back(reason.empty() ? make_run(options, known, name, team, figures)
                                  : absent_run(options, known, name, reason, team, figures));
  }
  for (const auto& [name, settings] : options.settings)
    if (std::none_of(runs.begin(), runs.end(), [&](const TransportRun& run) { return has_part(run, name); }))
      throw Error(Fault::usage, "--set " + name + "." + settings.begin()->first + ": " + name + " is no transport of this run");
  return runs;
}

std::size_t count_points(const std::vector<TransportRun>& runs) {
  std::size_t points = 0;
  for (const TransportRun& run : runs) points += run.points.size() + run.natives.size() + run.skipped.size();
  return points;
}

std::string left_out(const BenchOptions& options, const std::vector<KnownTransport>& known) {
  if (!asks_for_all(options)) return {};
  std::string text;
  for (const KnownTransport& transport : known)
    if (transport.table == nullptr) text += (text.empty() ? "" : "; ") + transport.name + ": " + transport.reason;
  return text.empty() ? text : "transports that are unavailable here: " + text;
}

std::vector<KnownTransport> available_to_all(Group& group, std::vector<KnownTransport> known) {
  nlohmann::json mine = nlohmann::json::object();
  for (const KnownTransport& transport : known)
    if (transport.table == nullptr) mine[transport.name] = transport.reason;
  const std::vector<nlohmann::json> all = gather_json(group, mine);
  for (KnownTransport& transport : known) {
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const auto found = all[rank].find(transport.name);
      if (found == all[rank].end()) continue;
      transport.table = nullptr;
      transport.reason = found->get<std::string>();
      if (count_nodes(group) > 1) transport.reason = "on " + group.nodes()[rank] + ": " + transport.reason;
      break;
    }
  }
  return known;
}

}  // namespace railgauge

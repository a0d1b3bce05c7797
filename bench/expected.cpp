// Asks each host what its NICs carry, and the formulas what follows from it.
#include "bench/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/words.hpp"
#include "bench/gather_json.hpp"
#include "bench/nodes.hpp"
#include "bench/topo_sources.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// What one rank found of a host: its NICs, or why there is nothing to say.
Json found_of(const topo::Graph& graph, const std::string& host, const std::string& machine) {
  const topo::HostNetwork network = topo::network_of(graph, machine);
  return {{"host", host}, {"bandwidth", network.bandwidth}, {"nics", network.nics}};
}

// Rank 0 answers for all hosts, or the first rank of each host for its own.
Json my_findings(const Group& group, const std::vector<std::string>& sources) {
  const std::vector<std::string>& nodes = group.nodes();
  const auto me = static_cast<std::size_t>(group.rank());
  Json found = Json::array();
  if (!sources.empty()) {
    if (me != 0) return nullptr;
    const topo::Graph graph = graph_of_files(sources);
    for (const std::string& host : std::set<std::string>(nodes.begin(), nodes.end()))
      found.push_back(found_of(graph, host, host));
    return found;
  }
  if (std::find(nodes.begin(), nodes.end(), nodes[me]) != nodes.begin() + group.rank()) return nullptr;
  const topo::Graph graph = graph_of_files({});
  const auto machine =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const topo::Node& it) { return it.kind == topo::Kind::machine; });
  if (machine == graph.nodes.end()) throw Error(Fault::usage, "no topology of " + nodes[me] + " was found");
  found.push_back(found_of(graph, nodes[me], machine->key));
  return found;
}

}  // namespace

Expected expect_of_hosts(Group& group, const std::vector<std::string>& sources) {
  Expected expected;
  const int nodes = count_nodes(group);
  if (nodes < 2) return expected;
  Json mine;
  try {
    mine = my_findings(group, sources);
  } catch (const Error& error) { mine = {{"error", error.what()}}; }
  Json weakest;
  for (const Json& theirs : gather_json(group, mine)) {
    if (theirs.is_object()) {
      const auto error = theirs.at("error").get<std::string>();
      if (!sources.empty()) throw Error(Fault::usage, error);
      expected.note = "expected: unknown, " + error;
      return expected;
    }
    for (const Json& host : theirs)
      if (weakest.is_null() || host.at("bandwidth") < weakest.at("bandwidth")) weakest = host;
  }
  if (weakest.is_null()) return expected;
  const auto host = weakest.at("host").get<std::string>();
  const topo::HostNetwork network{weakest.at("bandwidth").get<double>(), weakest.at("nics").get<unsigned>()};
  if (network.bandwidth <= 0) {
    expected.note = fmt::format("expected: unknown, no NIC of {} that carries traffic of ranks tells its bandwidth", host);
    return expected;
  }
  if (even_ranks_per_node(group) * nodes != group.size()) {
    expected.note = fmt::format("expected: unknown, {} ranks are not spread equally over {} hosts", group.size(), nodes);
    return expected;
  }
  expected.team = topo::host_team(static_cast<unsigned>(group.size()), static_cast<unsigned>(nodes), network);
  expected.note = fmt::format("between the hosts: {}, {} has least", expected.team->network_words, host);
  return expected;
}

Result with_expectation(Result result, const std::optional<topo::Team>& team) {
  const bool inside = result.point.from >= 0 && result.point.from_node == result.point.to_node;
  const std::optional<Collective> collective = find_collective(result.point.collective);
  if (!team || inside || team->ranks < 2 || !collective) return result;
  // A pair shares its hosts' NICs with the other pairs of its round.
  const Collective formula = *collective == Collective::pairs ? Collective::send_receive : *collective;
  if (!topo::has_ceilings(formula)) return result;
  const std::vector<topo::Ceiling> ceilings = topo::ceilings(formula, *team);
  if (ceilings.empty() || !ceilings.front().refusal.empty() || ceilings.front().bus <= 0) return result;
  const topo::Ceiling& best = ceilings.front();
  result.expected = Expectation{best.bus, fmt::format("{}: {} = {}", best.algorithm, best.formula, best.numbers)};
  return result;
}

}  // namespace railgauge

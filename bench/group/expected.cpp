// Asks each host what its NICs carry, and the formulas what follows from it.
#include "bench/group/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/words.hpp"
#include "bench/group/gather_json.hpp"
#include "bench/group/nodes.hpp"
#include "topo/fingerprint.hpp"
#include "topo/read/request.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// What one rank found of a host: its NICs.
Json found_of(const std::string& host, const topo::HostNetwork& network) {
  return {{"host", host}, {"bandwidth", network.bandwidth}, {"nics", network.nics}};
}

bool is_first_of_host(const Group& group) { return rank_of_node(group) == 0; }

// This machine's graph, or why there is none.
struct Own {
  std::optional<topo::Graph> graph;
  std::string problem;
};

// Empty where there is no machine in it.
std::string digits_of_host(const topo::Graph& graph) {
  const std::vector<topo::HostPrint> hosts = topo::host_prints(graph);
  return hosts.empty() ? std::string() : hosts.front().digits;
}

Own read_own() {
  try {
    return {topo::graph_of_files({}), {}};
  } catch (const Error& error) { return {std::nullopt, error.what()}; }
}

// Rank 0 answers for all hosts, or the first rank of each host for its own.
Json my_findings(const Group& group, const std::vector<std::string>& sources, const Own& own) {
  const std::vector<std::string>& nodes = group.nodes();
  const auto me = static_cast<std::size_t>(group.rank());
  Json found = Json::array();
  if (!sources.empty()) {
    if (me != 0) return nullptr;
    const topo::Graph graph = topo::graph_of_files(sources);
    const std::set<std::string> names(nodes.begin(), nodes.end());
    const std::vector<std::string> hosts(names.begin(), names.end());
    const std::vector<topo::HostNetwork> networks = topo::networks_of(graph, hosts);
    for (std::size_t i = 0; i < hosts.size(); ++i) found.push_back(found_of(hosts[i], networks[i]));
    return found;
  }
  if (!is_first_of_host(group)) return nullptr;
  if (!own.graph) throw Error(Fault::usage, own.problem);
  const auto machine = std::find_if(own.graph->nodes.begin(), own.graph->nodes.end(),
                                    [](const topo::Node& it) { return it.kind == topo::Kind::machine; });
  if (machine == own.graph->nodes.end()) throw Error(Fault::usage, "no topology of " + nodes[me] + " was found");
  found.push_back(found_of(nodes[me], topo::networks_of(*own.graph, std::span(&machine->key, 1)).front()));
  return found;
}

// Of the links between the hosts; the fingerprint is not touched.
void expect_of_findings(const Group& group, const std::vector<std::string>& sources, const std::vector<Json>& all,
                        Expected& expected) {
  const int nodes = count_nodes(group);
  Json weakest;
  for (const Json& theirs : all) {
    const Json& found = theirs.at("found");
    if (found.is_object()) {
      const auto error = found.at("error").get<std::string>();
      if (!sources.empty()) throw Error(Fault::usage, error);
      expected.note = "expected: unknown, " + error;
      return;
    }
    for (const Json& host : found)
      if (weakest.is_null() || host.at("bandwidth") < weakest.at("bandwidth")) weakest = host;
  }
  if (weakest.is_null()) return;
  const auto host = weakest.at("host").get<std::string>();
  const topo::HostNetwork network{weakest.at("bandwidth").get<double>(), weakest.at("nics").get<unsigned>()};
  if (network.bandwidth <= 0) {
    expected.note = fmt::format("expected: unknown, no NIC of {} that carries traffic of ranks tells its bandwidth", host);
    return;
  }
  if (even_ranks_per_node(group) * nodes != group.size()) {
    expected.note = fmt::format("expected: unknown, {} ranks are not spread equally over {} hosts", group.size(), nodes);
    return;
  }
  expected.team = topo::host_team(static_cast<unsigned>(group.size()), static_cast<unsigned>(nodes), network);
  expected.note = fmt::format("between the hosts: {}, {} has least", expected.team->network_words, host);
}

// One entry a host; none where one of them was not read.
std::string topology_of(const std::vector<Json>& all) {
  std::vector<std::string> hosts;
  for (const Json& theirs : all)
    if (theirs.at("print").is_string()) hosts.push_back(theirs.at("print").get<std::string>());
  return topo::digits_of_hosts(std::move(hosts));
}

}  // namespace

Expected expect_of_hosts(Group& group, const std::vector<std::string>& sources) {
  Expected expected;
  const bool several = count_nodes(group) > 1;
  const Own own = is_first_of_host(group) ? read_own() : Own();
  Json mine{{"print", nullptr}, {"found", nullptr}};
  if (is_first_of_host(group)) mine["print"] = own.graph ? digits_of_host(*own.graph) : std::string();
  if (several) try {
      mine["found"] = my_findings(group, sources, own);
    } catch (const Error& error) { mine["found"] = {{"error", error.what()}}; }
  const std::vector<Json> all = gather_json(group, mine);
  expected.topology = topology_of(all);
  if (several) expect_of_findings(group, sources, all, expected);
  return expected;
}

std::string topology_here() {
  const Own own = read_own();
  return own.graph ? topo::fingerprint_of(*own.graph) : std::string();
}

Result with_expectation(Result result, const std::optional<topo::Team>& team) {
  const bool inside = result.point.from >= 0 && result.point.from_node == result.point.to_node;
  const std::optional<Collective> collective = find_collective(result.point.collective);
  if (!team || inside || team->ranks < 2 || !collective) return result;
  // Of blocks that a file of counts gives (their digest is the seed) no formula tells what crosses a link.
  if (*collective == Collective::all_to_all_v && result.point.seed) return result;
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

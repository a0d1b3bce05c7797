// NICs of machines, and ranks on host memory that only they join.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"
#include "topo/nic_bandwidth.hpp"
#include "topo/ratios.hpp"
#include "topo/roles.hpp"

namespace railgauge::topo {
namespace {

bool is_cable(LinkKind kind) { return kind == LinkKind::infiniband || kind == LinkKind::ethernet; }

// The name of a host with or without its domain.
std::string_view short_name(std::string_view name) { return name.substr(0, name.find('.')); }

std::size_t machine_of(const View& view, std::string_view host) {
  std::size_t found = View::none;
  for (std::size_t i = 0; i < view.graph().nodes.size(); ++i) {
    const Node& node = view.node(i);
    if (node.kind != Kind::machine) continue;
    if (node.name == host || node.key == host) return i;
    if (found == View::none && short_name(node.name) == short_name(host)) found = i;
  }
  return found;
}

}  // namespace

HostNetwork network_of(const Graph& graph, std::string_view host) {
  const View view(graph);
  const std::size_t machine = machine_of(view, host);
  if (machine == View::none) throw Error(Fault::usage, fmt::format("there is no machine {} in this graph", host));
  const std::vector<NicRole> roles = nic_roles(view, "");
  std::vector<std::size_t> nics;
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == NicRole::compute && view.machine(i) == machine) nics.push_back(i);
  const NicsTogether all = nics_together(view, nics);
  const HostNetwork network{all.unknown.empty() ? all.bandwidth : 0, all.told};
  return network;
}

std::map<std::string, double, std::less<>> measured_ratios(const Graph& graph, const std::vector<HostPair>& pairs) {
  const View view(graph);
  ExpectedPaths paths(graph);
  std::map<std::string, std::string, std::less<>> machines;  // by the name that results say
  const auto machine = [&](const std::string& host) -> const std::string& {
    const auto [at, fresh] = machines.try_emplace(host);
    if (!fresh) return at->second;
    const std::size_t found = machine_of(view, host);
    if (found == View::none) throw Error(Fault::usage, fmt::format("there is no machine {} in this graph", host));
    return at->second = view.node(found).key;
  };
  std::map<std::string, double, std::less<>> ratios;
  for (const HostPair& pair : pairs) {
    if (pair.from == pair.to) continue;
    const ExpectedPath path = paths.between(machine(pair.from), machine(pair.to));
    const double expected = path.bandwidth.nominal > 0 ? path.bandwidth.nominal : path.bandwidth.line;
    if (expected <= 0) continue;
    for (const std::size_t link : path.links) {
      if (!is_cable(graph.links[link].kind)) continue;
      double& ratio = ratios[link_key(graph.links[link])];
      ratio = std::max(ratio, pair.bandwidth / expected);
    }
  }
  return ratios;
}

Team host_team(unsigned ranks, unsigned nodes, const HostNetwork& each) {
  if (nodes == 0 || ranks == 0 || ranks % nodes != 0)
    throw Error(Fault::usage, fmt::format("{} ranks are not spread equally over {} hosts", ranks, nodes));
  Team team;
  team.ranks = ranks;
  team.domains = nodes;
  team.inside_bounds = false;
  team.inside_words = "V is unknown: what host memory carries stands in no topology";
  if (nodes < 2) return team;
  const unsigned on_each = ranks / nodes;
  team.network = each.bandwidth / on_each;
  team.network_words = each.bandwidth > 0
                           ? fmt::format("r = {:.4g} GB/s: {} NIC{} of {:.4g} GB/s in all for {} rank{} of a host", team.network,
                                         each.nics, each.nics == 1 ? "" : "s", each.bandwidth, on_each, on_each == 1 ? "" : "s")
                           : "r is unknown: no compute NIC tells its bandwidth";
  return team;
}

}  // namespace railgauge::topo

// NICs of machines, and ranks on host memory that only they join.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"
#include "topo/machines.hpp"
#include "topo/nic_bandwidth.hpp"
#include "topo/ratios.hpp"
#include "topo/roles.hpp"

namespace railgauge::topo {
std::vector<HostNetwork> networks_of(const Graph& graph, std::span<const std::string> hosts) {
  const View view(graph);
  const MachineNames machines(view);
  const std::vector<NicRole> roles = nic_roles(view, "");
  std::map<std::size_t, std::vector<std::size_t>> nics;  // of each machine
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == NicRole::compute) nics[view.machine(i)].push_back(i);
  std::vector<HostNetwork> networks;
  for (const std::string& host : hosts) {
    const NicsTogether all = nics_together(view, nics[machines.at(host)]);
    networks.push_back({all.unknown.empty() ? all.bandwidth : 0, all.told});
  }
  return networks;
}

std::map<std::string, double, std::less<>> measured_ratios(const Graph& graph, const std::vector<HostPair>& pairs) {
  const View view(graph);
  ExpectedPaths paths(graph);
  const MachineNames machines(view);
  std::map<std::string, double, std::less<>> ratios;
  for (const HostPair& pair : pairs) {
    if (pair.from == pair.to) continue;
    const ExpectedPath path = paths.between(view.node(machines.at(pair.from)).key, view.node(machines.at(pair.to)).key);
    const double expected = payload(path.bandwidth);
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

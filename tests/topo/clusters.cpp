// One switch for all NICs, and NVSwitches of each machine or of each rack.
#include "tests/topo/clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/topo/graphs.hpp"

namespace railgauge::test {

using namespace topo;

Graph build(const Cluster& it) {
  Graph graph;
  const auto nominal = [](Link& link, double value) -> Link& {
    link.bandwidth.nominal = value;
    return link;
  };
  if (it.nic > 0) add_node(graph, "switch", Kind::fabric_switch, "");
  if (it.sharp) add_node(graph, "sharp", Kind::accelerator, "switch").attributes["role"] = std::string("aggregation");
  for (unsigned m = 0; m < it.machines; ++m) {
    const std::string host = fmt::format("m{}", m);
    add_node(graph, host, Kind::machine, "");
    add_node(graph, host + "/numa0", Kind::numa, host);
    const std::string nvswitch = it.rack ? fmt::format("rack{}", m * it.racks / it.machines) : host + "/nvswitch";
    if (!it.mesh && it.link > 0 &&
        std::none_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.key == nvswitch; }))
      add_node(graph, nvswitch, Kind::nvswitch, it.rack ? "" : host);
    for (unsigned k = 0; k < it.gpus; ++k) {
      const std::string gpu = fmt::format("{}/gpu{}", host, k);
      add_node(graph, gpu, Kind::gpu, host + "/numa0", it.gpu);
      nominal(add_link(graph, host + "/numa0", gpu, LinkKind::pcie), it.pcie);
      if (it.c2c > 0) nominal(add_link(graph, host + "/numa0", gpu, LinkKind::c2c), it.c2c);
      if (!it.mesh && it.link > 0) nominal(add_link(graph, gpu, nvswitch, LinkKind::nvlink), it.link);
      for (unsigned other = 0; it.mesh && other < k; ++other)
        nominal(add_link(graph, fmt::format("{}/gpu{}", host, other), gpu, LinkKind::xgmi), it.link);
    }
    for (unsigned k = 0; k < it.nics; ++k) {
      const std::string nic = fmt::format("{}/nic{}", host, k);
      add_node(graph, nic, Kind::nic, host + "/numa0");
      add_node(graph, nic + "/1", Kind::port, nic);
      nominal(add_link(graph, nic + "/1", "switch", LinkKind::infiniband, 1, 1 + m * it.nics + k), it.nic);
    }
  }
  return graph;
}

}  // namespace railgauge::test

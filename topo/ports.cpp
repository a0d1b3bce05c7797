// Looks for ports below NICs.
#include "topo/ports.hpp"

#include "topo/roles.hpp"

namespace railgauge::topo {
namespace {

// Sources tell it by the port's link, hwloc by an attribute alone.
bool is_active(const View& view, std::size_t port) {
  for (const std::size_t link : view.links(port)) {
    const LinkState state = view.link(link).state;
    if (state != LinkState::unknown) return state == LinkState::active;
  }
  return text_of(view.node(port).attributes, "state") == "active";
}

}  // namespace

std::vector<ComputePort> compute_ports(const Graph& graph, std::string_view machine) {
  const View view(graph);
  const std::vector<NicRole> roles = nic_roles(view, "");
  std::vector<ComputePort> ports;
  for (std::size_t nic = 0; nic < roles.size(); ++nic) {
    const std::size_t its = view.machine(nic);
    if (roles[nic] != NicRole::compute || its == View::none || view.node(its).key != machine) continue;
    const std::size_t numa = view.above(nic, Kind::numa);
    for (const std::size_t port : view.children(nic))
      // Only RDMA devices have ports whose name says the device: "mlx5_0/1".
      if (view.node(port).kind == Kind::port && is_active(view, port) && view.label(port).find('/') != std::string::npos)
        ports.push_back({view.label(port), numa == View::none ? std::string() : view.node(numa).key, view.node(nic).key});
  }
  return ports;
}

}  // namespace railgauge::topo

// The tables of bench/predict/routes/forwarding.hpp: by port the cable that leaves there.
#include "bench/predict/routes/forwarding.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "topo/infiniband.hpp"

namespace railgauge::predict {

Forwarding::Forwarding(const topo::Graph& graph, const Incidence& incidence) : graph_(graph), incidence_(incidence) {
  const topo::Network& network = incidence.network();
  for (std::uint32_t vertex = 0; vertex < network.vertices.size(); ++vertex) {
    const topo::Node& node = graph.nodes[network.vertices[vertex].node];
    if (node.kind != topo::Kind::fabric_switch) continue;
    ++switches_;
    std::optional<std::vector<std::uint8_t>> ports =
        topo::forwarding_table(topo::text_of(node.attributes, topo::forwarding_attribute));
    if (ports)
      tables_[vertex].ports = std::move(*ports);
    else if (without_.empty())
      without_ = name_of(vertex);
  }
  if (!complete()) return;
  std::unordered_map<std::string_view, std::uint64_t> lids;
  for (const topo::Node& node : graph.nodes)
    if (const std::uint64_t lid = topo::number_of(node.attributes, "lid"); lid != 0) lids.emplace(node.key, lid);
  for (std::uint32_t arc = 0; arc < network.arcs.size(); ++arc) {
    if (incidence.of(arc) != ArcClass::cable) continue;
    const topo::Link& link = graph.links[network.arcs[arc].link];
    const bool forward = arc % 2 == 0;
    const unsigned port = forward ? link.a_port : link.b_port;
    if (const auto table = tables_.find(network.arcs[arc].from); table != tables_.end() && port > 0 && port < topo::no_port) {
      std::vector<std::uint32_t>& leaving = table->second.leaving;
      if (leaving.size() <= port) leaving.resize(port + 1, none);
      leaving[port] = arc;
    }
    if (tables_.contains(network.arcs[arc].to)) continue;
    if (const auto lid = lids.find(forward ? link.b : link.a); lid != lids.end())
      lids_.emplace(arc, static_cast<std::uint32_t>(lid->second));
  }
}

std::string Forwarding::name_of(std::uint32_t vertex) const {
  const topo::Node& node = graph_.nodes[incidence_.network().vertices[vertex].node];
  return node.name.empty() || node.name == node.key ? node.key : fmt::format("{} ({})", node.name, node.key);
}

void Forwarding::follow(std::uint32_t from, std::uint32_t cable, std::vector<Use>& uses) const {
  const topo::Link& last = graph_.links[incidence_.network().arcs[cable].link];
  const auto lid = lids_.find(cable);
  if (lid == lids_.end())
    throw Error(Fault::usage,
                fmt::format("no LID is known of {}, to which messages are sent by forwarding tables: --routing adaptive or ecmp "
                            "needs none",
                            cable % 2 == 0 ? last.b : last.a));
  for (std::size_t hops = 0; hops <= most_switches; ++hops) {
    const Table& table = tables_.at(from);
    const unsigned port = lid->second < table.ports.size() ? table.ports[lid->second] : topo::no_port;
    const std::uint32_t arc = port < table.leaving.size() ? table.leaving[port] : none;
    if (arc == cable) return;
    if (port == topo::no_port)
      throw Error(Fault::usage, fmt::format("the forwarding table of {} has no port for LID {}: no message reaches it",
                                            name_of(from), lid->second));
    if (arc == none || !tables_.contains(incidence_.network().arcs[arc].to))
      throw Error(Fault::usage,
                  fmt::format("the forwarding table of {} sends LID {} out of port {}, {}: no message reaches it", name_of(from),
                              lid->second, port, arc == none ? "of which no cable is known" : "behind which is another host"));
    uses.push_back({arc, 1});
    from = incidence_.network().arcs[arc].to;
  }
  throw Error(Fault::usage, fmt::format("the forwarding tables send LID {} in a circle, through {}", lid->second, name_of(from)));
}

}  // namespace railgauge::predict

// Makes nodes and links; what limits nothing has a rate far above all others.
#include "bench/validate/stages/step_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "topo/generate/assembly.hpp"

namespace railgauge::validate {
namespace {

constexpr double no_limit = 1000;  // times the fastest link

class Hosts {
 public:
  Hosts(double between, double inside) : between_(between), inside_(inside) {}

  topo::Graph build(const std::vector<Index>& ranks) {
    several_ = std::any_of(ranks.begin(), ranks.end(), [](Index of) { return of > 1; });
    const std::size_t fabric = graph_.add_switch("switch");
    for (std::size_t host = 0; host < ranks.size(); ++host) add_host(fmt::format("host{}", host), ranks[host], fabric);
    topo::Graph graph = graph_.take();
    for (topo::Link& link : graph.links)
      if (topo::is_cable(link.kind)) link.bandwidth = {between_, between_, between_};
    return graph;
  }

 private:
  void add_host(const std::string& host, Index ranks, std::size_t fabric) {
    graph_.add(host, topo::Kind::machine, host, "");
    const std::string joint = host + "/joint";
    if (ranks > 1) graph_.add(joint, topo::Kind::nvswitch, "inside of " + host, host);
    for (Index rank = 0; rank < ranks; ++rank) {
      const std::string its = fmt::format("{}/{}", host, rank);
      if (!several_) {
        add_port(its, host, fabric);
        continue;
      }
      graph_.add(its, topo::Kind::pci_switch, "", host);
      graph_.add(its + "/rank", topo::Kind::gpu, fmt::format("rank {} of {}", rank, host), its);
      link(its, its + "/rank", topo::LinkKind::pcie, no_limit * std::max(between_, inside_));
      add_port(its, its, fabric);
      link(its, its + "/nic", topo::LinkKind::pcie, no_limit * std::max(between_, inside_));
      if (ranks > 1) link(its + "/rank", joint, topo::LinkKind::nvlink, inside_);
    }
  }
  void add_port(const std::string& its, const std::string& above, std::size_t fabric) {
    graph_.add(its + "/nic", topo::Kind::nic, "", above).attributes["pci_class"] = std::string("0207");
    graph_.add(its + "/port", topo::Kind::port, "", its + "/nic");
    graph_.cable(its + "/port", fabric, {});
  }
  void link(const std::string& a, const std::string& b, topo::LinkKind kind, double rate) {
    graph_.join(a, b, kind).bandwidth = {rate, rate, rate};
  }

  topo::Assembly graph_;
  double between_, inside_;
  bool several_ = false;
};

}  // namespace

topo::Graph hosts_below_one_switch(const std::vector<Index>& ranks, double between, double inside) {
  return Hosts(between, inside).build(ranks);
}

}  // namespace railgauge::validate

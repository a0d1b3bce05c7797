// The interface of the rules: each reads one graph and adds its findings.
#pragma once

#include <string>
#include <vector>

#include "topo/check/check.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

struct Context {
  const View& view;
  const CheckOptions& options;
};

class Findings {
 public:
  void add(Finding finding) { list.push_back(std::move(finding)); }
  std::vector<Finding> list;
};

void check_pcie(const Context&, Findings&);        // pcie.cpp
void check_nvlink(const Context&, Findings&);      // nvlink.cpp
void check_nvswitch(const Context&, Findings&);    // nvlink_fabric.cpp
void check_infiniband(const Context&, Findings&);  // infiniband.cpp
void check_ports(const Context&, Findings&);       // ports.cpp
void check_rails(const Context&, Findings&);       // rails.cpp
void check_affinity(const Context&, Findings&);    // affinity.cpp
void check_counters(const Context&, Findings&);    // counters.cpp
void check_design(const Context&, Findings&);      // design.cpp

// How near two devices are in the tree of their machine; smaller is nearer. Devices of two machines have the default.
struct Nearness {
  unsigned rank = 5;  // their lowest common ancestor: 0 bridge or switch, 1 PCIe root, 2 NUMA node, 3 package, 4 machine, 5 none
  std::size_t hops = 0;  // edges of the tree between them
  friend auto operator<=>(const Nearness&, const Nearness&) = default;
};
[[nodiscard]] Nearness nearness(const View& view, std::size_t a, std::size_t b);  // places of nodes

}  // namespace railgauge::topo

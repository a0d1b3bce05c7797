// What the rules share: each looks at one graph and adds what it finds.
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
void check_sources(const Context&, Findings&);     // sources.cpp
void check_design(const Context&, Findings&);      // design.cpp

// How much two devices of one machine share on the path up, the less the nearer; far when they are of two machines.
struct Nearness {
  unsigned rank = 5;     // 0 a bridge or switch, 1 a PCIe root, 2 a NUMA node, 3 a package, 4 the machine, 5 nothing
  std::size_t hops = 0;  // from one to the other through the tree
  friend auto operator<=>(const Nearness&, const Nearness&) = default;
};
[[nodiscard]] Nearness nearness(const View& view, std::size_t a, std::size_t b);

}  // namespace railgauge::topo

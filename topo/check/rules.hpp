// The interface of the rules: each reads one graph and adds its findings.
#pragma once

#include <string>
#include <vector>

#include "topo/check/check.hpp"
#include "topo/fabric/fabric.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

struct Context {
  const View& view;
  const fabric::Fabric& fabric;  // without switches when the graph has none
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
void check_uplinks(const Context&, Findings&);     // uplinks.cpp
void check_direct(const Context&, Findings&);      // direct.cpp
void check_capacity(const Context&, Findings&);    // capacity.cpp
void check_measured(const Context&, Findings&);    // measured.cpp
void check_affinity(const Context&, Findings&);    // affinity.cpp
void check_counters(const Context&, Findings&);    // counters.cpp
void check_sources(const Context&, Findings&);     // sources.cpp
void check_design(const Context&, Findings&);      // design.cpp

[[nodiscard]] Coverage coverage_of(const Context&);  // coverage.cpp

}  // namespace railgauge::topo

// NVLinks, whatever the wires stand for: only what they carry matters.
#include "tests/bound/wired.hpp"

#include <fmt/format.h>

#include <string>

#include "tests/topo/graphs.hpp"

namespace railgauge::test {

topo::Graph wired(unsigned gpus, unsigned switches, const std::vector<Wire>& wires) {
  topo::Graph graph;
  add_node(graph, "m", topo::Kind::machine, "");
  for (unsigned i = 0; i < gpus; ++i) add_node(graph, fmt::format("g{}", i), topo::Kind::gpu, "m");
  for (unsigned i = 0; i < switches; ++i) add_node(graph, fmt::format("s{}", i), topo::Kind::nvswitch, "m");
  const auto key = [&](unsigned at) { return at < gpus ? fmt::format("g{}", at) : fmt::format("s{}", at - gpus); };
  for (const Wire& wire : wires)
    add_link(graph, key(wire.a), key(wire.b), topo::LinkKind::nvlink).bandwidth.nominal = wire.gigabytes;
  return graph;
}

}  // namespace railgauge::test

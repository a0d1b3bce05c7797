// The links of a graph as directed capacities between vertices, and where the ranks are: what bounds and predictions compute on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Of parts between which no link has a bandwidth (the packages, NUMA nodes and PCIe roots of a machine, a NIC and its port), one
// vertex for all: what is inside of them limits nothing here.
struct Vertex {
  std::size_t node = 0;    // place in Graph::nodes; of several parts the one that contains the others
  std::int32_t rank = -1;  // -1: it only forwards
};

struct Arc {
  std::uint32_t from = 0, to = 0;  // places in Network::vertices
  std::uint64_t capacity = 0;      // megabytes (1e6) per second
  std::size_t link = 0;            // place in Graph::links
};

// Arcs 2i and 2i + 1 are the two directions of one link, the first from the link's end a to its end b. There are no vertices and
// arcs that no path from a rank to another can use.
struct Network {
  std::vector<Vertex> vertices;
  std::vector<Arc> arcs;
  std::vector<std::uint32_t> ranks;  // the vertex of each rank
};

struct NetworkOptions {
  unsigned ranks = 0;     // the first so many; 0: all
  std::string nics = {};  // patterns of those that carry traffic between ranks (topo/roles.hpp); empty: by the guess
  bool machines = false;  // ranks are the machines, though they may have GPUs: of ranks in host memory
};

// Ranks are the GPUs, machine by machine as team_of() has them, or the machines of a graph without GPUs. GPUs and machines
// without a rank forward nothing; neither do NICs for storage and management. Links that are off carry nothing. A link in a
// power-saving state counts with what both ends can. Linear in the graph. Throws Error(usage), which names what is missing: links
// between GPUs that the graph may lack, the bandwidth of a link between ranks, a path between two of them, GPUs.
[[nodiscard]] Network network_of(const Graph&, const NetworkOptions&);

}  // namespace railgauge::topo

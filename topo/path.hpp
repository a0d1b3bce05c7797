// The path between two nodes of one machine: its class in nvidia-smi's words, its links, and its bottleneck.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

// From near to far.
enum class PathClass : std::uint8_t {
  loc,   // the same device, or parts of one
  nv,    // NVLink or xGMI, direct or through NVSwitches
  c2c,   // NVLink-C2C
  pix,   // at most one PCIe switch
  pxb,   // several PCIe switches
  phb,   // a PCIe host bridge
  node,  // two host bridges of one NUMA node
  sys,   // from one NUMA node to another
  none,  // no path is known
};

struct PathClassRow {
  PathClass path_class;
  std::string_view word;  // "PIX"
  std::string_view meaning;
};

[[nodiscard]] std::span<const PathClassRow> path_classes() noexcept;  // in the order of the enumeration; static storage
[[nodiscard]] const PathClassRow& row(PathClass) noexcept;
[[nodiscard]] PathClass path_class_of(std::string_view word) noexcept;  // also "NV12", "SOC", "XGMI"; none for any other text

struct Path {
  PathClass path_class = PathClass::none;
  unsigned count = 0;              // of class nv: parallel links; else 0
  std::vector<const Link*> route;  // in order from a to b; through NVSwitches all links of a, then all of b
  const Link* bottleneck =
      nullptr;          // the link of the route with the least known bandwidth; of class nv one link of the narrower end
  Bandwidth bandwidth;  // of the bottleneck; of class nv the sum of the parallel links; zeros when unknown
};

// The value for comparing links: usable, else nominal, else line; GB/s, 0 is unknown.
[[nodiscard]] double best_known(const Bandwidth&) noexcept;

// Finds paths in a graph, which must outlive this object and stay unchanged. The constructor takes time linear in the graph; each
// path takes time linear in the depth of the tree and in the links of both ends.
class Paths {
 public:
  explicit Paths(const Graph& graph);
  [[nodiscard]] Path between(std::string_view a, std::string_view b) const;  // keys; class none when there is no such node

 private:
  struct Beside {
    std::size_t node;
    const Link* link;
  };
  struct Share {  // the links of one device to a domain of connected NVSwitches
    unsigned count = 0;
    Bandwidth bandwidth;
    std::vector<const Link*> links;
  };
  struct Ascent {  // the nodes from a and from b up to their lowest common ancestor `above`, which is in neither list
    std::vector<std::size_t> from_a, from_b;
    std::size_t above;  // none when they have no common ancestor
  };
  [[nodiscard]] std::size_t find(std::string_view key) const;
  [[nodiscard]] std::vector<std::size_t> ends(std::size_t node) const;
  [[nodiscard]] bool direct(std::size_t a, std::size_t b, Path& path) const;
  [[nodiscard]] std::unordered_map<std::size_t, Share> shares(std::size_t device) const;
  [[nodiscard]] bool through_switches(std::size_t a, std::size_t b, Path& path) const;
  [[nodiscard]] Ascent ascent(std::size_t a, std::size_t b) const;
  [[nodiscard]] PathClass classify(const Ascent& ascent, std::size_t a, std::size_t b) const;
  void through_tree(std::size_t a, std::size_t b, Path& path) const;
  void join_switches();

  const Graph& graph_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::size_t> parents_, depths_, domains_;  // of each node; the largest size_t where there is none
  std::vector<const Link*> up_;                          // of each node: the link to its parent
  std::vector<std::vector<Beside>> beside_;              // of each node: links outside the tree
  std::size_t numa_nodes_ = 0;
};

}  // namespace railgauge::topo

// The way between two nodes of one machine: its class in nvidia-smi's words, the links that it takes, and the narrowest of them.
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
  none,  // no way is known
};

struct PathClassRow {
  PathClass path_class;
  std::string_view word;  // "PIX"
  std::string_view meaning;
};

[[nodiscard]] std::span<const PathClassRow> path_classes() noexcept;  // in the order of the enumeration; static storage
[[nodiscard]] const PathClassRow& row(PathClass) noexcept;
[[nodiscard]] PathClass path_class_of(std::string_view word) noexcept;  // also "NV12", "SOC", "XGMI"; none when it is no word

struct Path {
  PathClass path_class = PathClass::none;
  unsigned count = 0;              // of class nv: links side by side; else 0
  std::vector<const Link*> route;  // in order from a to b; through NVSwitches all links of a, then all of b
  const Link* bottleneck =
      nullptr;          // the narrowest link of the route whose bandwidth is known; of class nv one of the narrower end
  Bandwidth bandwidth;  // of the bottleneck; of class nv of all links side by side; zeros when it is unknown
};

// The number that links are compared by: usable, else nominal, else line; GB/s, 0 is unknown.
[[nodiscard]] double best_known(const Bandwidth&) noexcept;

// Looks into a graph, which must outlive it and stay as it is. Made once in time linear in the graph; then each path takes
// time linear in the depth of the tree and in the links of both ends.
class Paths {
 public:
  explicit Paths(const Graph& graph);
  [[nodiscard]] Path between(std::string_view a, std::string_view b) const;  // keys; class none when there is no such node

 private:
  struct Beside {
    std::size_t node;
    const Link* link;
  };
  struct Share {  // what one device has on a domain of NVSwitches that are joined
    unsigned count = 0;
    Bandwidth bandwidth;
    std::vector<const Link*> links;
  };
  struct Ways {  // from two nodes to the one that holds both, which is not in them; empty `above` when there is none
    std::vector<std::size_t> from_a, from_b;
    std::size_t above;
  };
  [[nodiscard]] std::size_t find(std::string_view key) const;
  [[nodiscard]] std::vector<std::size_t> ends(std::size_t node) const;
  [[nodiscard]] bool direct(std::size_t a, std::size_t b, Path& path) const;
  [[nodiscard]] std::unordered_map<std::size_t, Share> shares(std::size_t device) const;
  [[nodiscard]] bool through_switches(std::size_t a, std::size_t b, Path& path) const;
  [[nodiscard]] Ways ways(std::size_t a, std::size_t b) const;
  [[nodiscard]] PathClass classify(const Ways& ways, std::size_t a, std::size_t b) const;
  void through_tree(std::size_t a, std::size_t b, Path& path) const;
  void join_switches();

  const Graph& graph_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::size_t> parents_, depths_, domains_;  // of each node; none_ where there is none
  std::vector<const Link*> up_;                          // of each node: the link to its parent
  std::vector<std::vector<Beside>> beside_;              // of each node: links that are not of the tree
  std::size_t numa_nodes_ = 0;
};

}  // namespace railgauge::topo

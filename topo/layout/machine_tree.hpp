// The devices of a machine that carry traffic between GPUs and nodes, as a tree before layout.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo::layout {

// A graph with its nodes by key and the children of each node. Refers to the graph, which must outlive it.
class Index {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  explicit Index(const Graph& of);
  [[nodiscard]] std::size_t find(std::string_view key) const;  // none when there is no such node
  [[nodiscard]] const std::vector<std::uint32_t>& children(std::size_t place) const { return children_[place]; }
  [[nodiscard]] const Node& node(std::size_t place) const { return graph.nodes[place]; }
  const Graph& graph;
  std::vector<std::size_t> parents;  // none at roots

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::vector<std::uint32_t>> children_;
};

// A PCIe root or switch (bar), a device, or a count of disks. A bridge with a single branch is part of `path_up`.
struct Item {
  enum class Form : std::uint8_t { bar, device, folded };
  Form form = Form::device;
  std::size_t node = Index::none;
  std::vector<std::size_t> alike;  // further equal nodes that it represents
  std::vector<Item> below;
  std::vector<std::uint32_t> path_up;  // places in Graph::links, from the bar or place above down to the item
  std::vector<std::size_t> near;       // of a GPU: the NICs below the lowest bar above it with NICs; of such a NIC: its GPUs
  double x = 0, width = 0;
};

// A machine, a package or a NUMA node, with the devices that are nearest to it.
struct Place {
  std::size_t node = Index::none;
  std::vector<Place> inside;
  std::vector<Item> items;
  std::map<std::string, std::uint64_t> others;  // devices that are not drawn: their number by their name
  std::uint64_t disks = 0;
};

[[nodiscard]] Place place_of(const Index& index, std::size_t machine);

// "2 disks, 3 x USB"; empty when there are none.
[[nodiscard]] std::string words_of_others(const Place& place);

}  // namespace railgauge::topo::layout

// A graph with indices for its readers: the places of keys, parents and children, the links of each node, and names for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

// A node or one of its ports, for programs (key) and for people (name).
struct NodePort {
  std::string key;    // empty when there is no node
  unsigned port = 0;  // 0: unknown, or the node itself
  std::string name;   // View::spoken()
};

// Refers to a graph, which must outlive this object and stay unchanged. Places are indices in Graph::nodes or Graph::links.
class View {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  explicit View(const Graph& graph);
  explicit View(Graph&&) = delete;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Node& node(std::size_t place) const { return graph_.nodes[place]; }
  [[nodiscard]] const Link& link(std::size_t place) const { return graph_.links[place]; }

  [[nodiscard]] std::size_t place(std::string_view key) const;  // none when there is no such node
  [[nodiscard]] std::size_t parent(std::size_t node) const { return parents_[node]; }
  [[nodiscard]] std::span<const std::size_t> children(std::size_t node) const { return children_[node]; }
  [[nodiscard]] std::span<const std::size_t> links(std::size_t node) const { return ends_[node]; }
  [[nodiscard]] std::size_t a(std::size_t link) const { return a_[link]; }  // none when the link names no node
  [[nodiscard]] std::size_t b(std::size_t link) const { return b_[link]; }
  [[nodiscard]] std::size_t other_end(std::size_t link, std::size_t node) const { return a_[link] == node ? b_[link] : a_[link]; }

  // The nearest node of that kind on the path from the node to its root, which begins with the node; none when there is none.
  [[nodiscard]] std::size_t above(std::size_t node, Kind kind) const;
  [[nodiscard]] std::size_t machine(std::size_t node) const { return above(node, Kind::machine); }
  // The PCIe link between the node and its parent; none when there is none.
  [[nodiscard]] std::size_t pcie_above(std::size_t node) const;
  [[nodiscard]] std::size_t machines() const { return machines_; }  // their number
  // The number of a GPU in its machine: NVML's index when it is known, else by the order of the graph.
  [[nodiscard]] std::size_t gpu_number(std::size_t gpu) const { return gpu_numbers_[gpu]; }

  // For people: "GPU 3 (NVIDIA H100, 0000:93:00.0)", "port 5 of switch leaf1"; followed by " of node7" when the graph has several
  // machines. `port` 0: the node itself.
  [[nodiscard]] std::string spoken(std::size_t at, unsigned port = 0) const;
  [[nodiscard]] NodePort node_port(std::size_t at, unsigned port = 0) const;
  // The device name of a NIC or its port, "mlx5_0", "mlx5_0/1"; of others the node's name.
  [[nodiscard]] std::string label(std::size_t at) const;

 private:
  void number_gpus();

  const Graph& graph_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::size_t> parents_, a_, b_, gpu_numbers_;
  std::vector<std::vector<std::size_t>> children_, ends_;
  std::size_t machines_ = 0;
};

}  // namespace railgauge::topo

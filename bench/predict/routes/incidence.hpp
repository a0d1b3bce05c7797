// What a network is made of, arc by arc: what each vertex has to go out by, and which arcs are GPU links, cables, or inside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topo/graph.hpp"
#include "topo/network/network.hpp"

namespace railgauge::predict {

enum class ArcClass : std::uint8_t {
  gpu,     // NVLink or xGMI
  cable,   // InfiniBand or Ethernet
  inside,  // PCIe, between processors, NVLink-C2C
};

// Refers to both, which must outlive this object.
class Incidence {
 public:
  Incidence(const topo::Graph& graph, const topo::Network& network);

  [[nodiscard]] const topo::Network& network() const { return network_; }
  [[nodiscard]] std::span<const std::uint32_t> leaving(std::uint32_t vertex) const {  // places of arcs
    return std::span(arcs_).subspan(starts_[vertex], starts_[vertex + 1] - starts_[vertex]);
  }
  [[nodiscard]] std::span<const std::uint32_t> arriving(std::uint32_t vertex) const {
    return std::span(arcs_in_).subspan(starts_in_[vertex], starts_in_[vertex + 1] - starts_in_[vertex]);
  }
  [[nodiscard]] ArcClass of(std::uint32_t arc) const { return classes_[arc]; }
  [[nodiscard]] bool is_rank(std::uint32_t vertex) const { return network_.vertices[vertex].rank >= 0; }
  // A switch of the fabric: nothing but cables ends there.
  [[nodiscard]] bool is_switch(std::uint32_t vertex) const { return switches_[vertex]; }

 private:
  const topo::Network& network_;
  std::vector<std::uint32_t> starts_, arcs_, starts_in_, arcs_in_;
  std::vector<ArcClass> classes_;
  std::vector<bool> switches_;
};

}  // namespace railgauge::predict

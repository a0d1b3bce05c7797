// Whole-numbered capacities between vertices, and how many out-trees each vertex is to be the root of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topo/bound/flow.hpp"

namespace railgauge::topo {

struct Capacities {
  explicit Capacities(std::uint32_t count) : vertices(count), values(std::size_t{count} * count) {}
  [[nodiscard]] std::int64_t at(std::uint32_t from, std::uint32_t to) const { return values[std::size_t{from} * vertices + to]; }
  std::int64_t& at(std::uint32_t from, std::uint32_t to) { return values[std::size_t{from} * vertices + to]; }

  std::uint32_t vertices;
  std::vector<std::int64_t> values;  // of a matrix: row `from`, column `to`
};

// Adds an edge for each two vertices that capacity joins; the flow has at least so many vertices.
void add_links(Flow& flow, const Capacities& capacities);

struct Demand {
  std::vector<std::uint32_t> ranks;  // vertices that every tree must reach
  std::vector<std::int64_t> roots;   // of each of these, how many trees begin there
  [[nodiscard]] std::int64_t all() const;
};

// By how much what enters some set of vertices with a rank falls below the trees that begin outside of it; nothing where no set
// does. Edmonds (1973): then there are so many out-trees, each to every rank, which together use no more than the capacities.
[[nodiscard]] std::optional<std::int64_t> shortfall(const Capacities&, const Demand&);

}  // namespace railgauge::topo

// Fabrics with one link that is removed, slowed, narrowed or swapped, and what a check should say of them.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "topo/finding.hpp"
#include "topo/graph.hpp"
#include "topo/read/fabric.hpp"

namespace railgauge::test {

enum class Damage : std::uint8_t { removed, slowed, narrowed, swapped };
inline constexpr std::array<const char*, 4> damage_words{"removed", "slowed", "narrowed", "swapped"};

// A cable by the keys of its ends; of an adapter also those of its port and its machine.
struct Cable {
  std::vector<std::string> a, b;
};

struct Damaged {
  std::string shape;
  Damage damage = Damage::removed;
  topo::Graph graph;
  std::vector<Cable> cables;              // each has to be named
  std::vector<Cable> before;              // of a swap: as they were, which may be named too
  std::vector<std::string> descriptions;  // for people
};

// One of several shapes (two and three tiers, rails, uneven numbers of hosts) with one kind of damage at a random link. The graph
// is as the live fabric tells it, or as ibnetdiscover does, without what ports could do and without those that are down.
[[nodiscard]] Damaged damage(std::mt19937& random);

struct ShapeRow {
  const char* name;
  topo::Fabric (*make)(std::mt19937&);  // of a random size
};
[[nodiscard]] std::span<const ShapeRow> regular_shapes();

// Whether faults and warnings name each of the cables, and whether they name anything else.
struct Answer {
  bool named = false;
  std::vector<std::string> others;
};
[[nodiscard]] Answer judge(const Damaged& damaged, const std::vector<topo::Finding>& findings);

}  // namespace railgauge::test

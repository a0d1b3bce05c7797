// A fabric as switches, hosts and what joins them, before anything has a place.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "topo/layout/layout.hpp"
#include "topo/layout/machine_tree.hpp"

namespace railgauge::topo::layout {

inline constexpr std::uint32_t npos = static_cast<std::uint32_t>(-1);

// A peer of a switch with all links to it.
struct Peer {
  std::uint32_t other = 0;           // a place in Fabric::switches
  std::vector<std::uint32_t> links;  // places in Graph::links; empty where only the tree of nodes says so
  [[nodiscard]] std::uint32_t count() const { return links.empty() ? 1 : static_cast<std::uint32_t>(links.size()); }
};

struct Switch {
  std::size_t node = Index::none;
  unsigned tier = 0;                 // 1: next to hosts
  std::vector<Peer> peers;           // in ascending order of `other`
  std::vector<std::uint32_t> hosts;  // places in Fabric::hosts, once for each link, ascending
  std::uint32_t rail = npos;
  std::uint32_t unit = npos;  // leaves that share their hosts: the lowest of them
  bool odd = false;           // one of its links is in `troubles`
};

// One link of a host to a switch.
struct Uplink {
  std::size_t nic = Index::none;  // node
  std::uint32_t to = 0;           // a place in Fabric::switches
  std::uint32_t link = npos;      // a place in Graph::links
  bool wrong = false;             // mis-cabled, degraded or down
};

struct Host {
  std::size_t node = Index::none;
  std::vector<Uplink> uplinks;  // in the order of its NICs
  bool odd = false;
};

struct Trouble {
  std::string what;  // "degraded", "down", "ends disagree", "slow", "mis-cabled", "missing"
  std::string a, b;  // both ends, for people
  std::string expected, found;
  std::uint32_t from = npos, to = npos;  // the switches between which links are missing
};

enum class Shape : std::uint8_t { tiers, fat_tree, rails, dragonfly, torus };

struct Fabric {
  const Index* index = nullptr;
  const Ratios* measured = nullptr;
  double usual_ratio = 0;  // the median of what was measured
  std::vector<Switch> switches;
  std::vector<Host> hosts;
  unsigned tiers = 0;
  std::uint32_t rails = 0;  // 0: it has none
  std::vector<Trouble> troubles;
  std::unordered_set<std::uint32_t>
      wrong_links;  // by their own numbers, or slower than nearly all like them: places in Graph::links
  Shape shape = Shape::tiers;
  std::string shape_words;                            // "two-tier fat tree"
  std::vector<std::uint32_t> groups;                  // of a dragonfly: each switch's
  std::vector<std::vector<std::uint32_t>> positions;  // of a torus: each switch's
  std::vector<std::uint32_t> sizes;                   // of a torus

  [[nodiscard]] const Node& node(const Switch& it) const { return index->node(it.node); }
  [[nodiscard]] const Node& node(const Host& it) const { return index->node(it.node); }
  [[nodiscard]] std::string name(const Switch& it) const;
  [[nodiscard]] std::string name(const Host& it) const;
};

// Empty of switches when the graph has no fabric. O(nodes + links), but for sorting. What it returns refers to both.
[[nodiscard]] Fabric read_fabric(const Index& index, const Ratios& measured);

// Finds what differs from its like, and marks it: called by read_fabric().
void find_troubles(Fabric& fabric);
// Torus and dragonfly, when nearly all switches have hosts: called by read_fabric().
void recognise_direct(Fabric& fabric);

// "leaf-3 port 7".
[[nodiscard]] std::string end_words(const Fabric& fabric, const std::string& key, unsigned port);
// Numbers in names by their value: "node9" before "node10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

// Draws it below what is there.
void add_fabric(Picture& picture, const Fabric& fabric);
void add_tiers(Picture& picture, const Fabric& fabric);
void add_dragonfly(Picture& picture, const Fabric& fabric);
void add_torus(Picture& picture, const Fabric& fabric);
void add_fabric_tables(Picture& picture, const Fabric& fabric);

}  // namespace railgauge::topo::layout

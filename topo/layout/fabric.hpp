// A fabric as switches, hosts and the links between them, before layout.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "topo/layout/layout.hpp"
#include "topo/layout/machine_tree.hpp"

namespace railgauge::topo::layout {

inline constexpr std::uint32_t npos = static_cast<std::uint32_t>(-1);

// A neighbour of a switch, with all links to it.
struct Peer {
  std::uint32_t other = 0;           // a place in Fabric::switches
  std::vector<std::uint32_t> links;  // places in Graph::links; empty where only the tree of nodes joins them
  [[nodiscard]] std::uint32_t count() const { return links.empty() ? 1 : static_cast<std::uint32_t>(links.size()); }
};

struct Switch {
  std::size_t node = Index::none;
  unsigned tier = 0;                 // 1: attached to hosts
  std::vector<Peer> peers;           // in ascending order of `other`
  std::vector<std::uint32_t> hosts;  // places in Fabric::hosts, once for each link, ascending
  std::uint32_t rail = npos;
  std::uint32_t unit = npos;  // leaves that share their hosts: the lowest place among them
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

// An exception for the table below the picture.
struct Trouble {
  std::string what;  // "degraded", "down", "ends disagree", "slow", "mis-cabled", "missing"
  std::string a, b;  // both ends, for people
  std::string expected, found;
  std::uint32_t from = npos, to = npos;  // the switches between which links are missing
};

enum class Shape : std::uint8_t { tiers, fat_tree, rails, dragonfly, torus };

struct Fabric {
  const Index* index = nullptr;      // not owned
  const Ratios* measured = nullptr;  // not owned
  double usual_ratio = 0;            // the median of the measured ratios
  std::vector<Switch> switches;
  std::vector<Host> hosts;
  unsigned tiers = 0;
  std::uint32_t rails = 0;  // 0: none
  std::vector<Trouble> troubles;
  std::unordered_set<std::uint32_t> wrong_links;  // places in Graph::links: degraded, down, or slower than most similar links
  Shape shape = Shape::tiers;
  std::string shape_words;                            // "two-tier fat tree"
  std::vector<std::uint32_t> groups;                  // of a dragonfly: the group of each switch
  std::vector<std::vector<std::uint32_t>> positions;  // of a torus: the coordinates of each switch
  std::vector<std::uint32_t> sizes;                   // of a torus: switches in each dimension

  [[nodiscard]] const Node& node(const Switch& it) const { return index->node(it.node); }
  [[nodiscard]] const Node& node(const Host& it) const { return index->node(it.node); }
  [[nodiscard]] std::string name(const Switch& it) const;
  [[nodiscard]] std::string name(const Host& it) const;
};

// Has no switches when the graph has no fabric. Takes O(nodes + links) time, except for sorting. The result refers to both
// arguments, which must outlive it.
[[nodiscard]] Fabric read_fabric(const Index& index, const Ratios& measured);

// Finds and marks links and hosts that differ from similar ones: called by read_fabric().
void find_troubles(Fabric& fabric);
// Recognises a torus or dragonfly, when nearly all switches have hosts: called by read_fabric().
void recognise_direct(Fabric& fabric);

// Names an end of a link for people: "leaf-3 port 7".
[[nodiscard]] std::string end_words(const Fabric& fabric, const std::string& key, unsigned port);
// Whether a sorts before b when digits compare by value: "node9" before "node10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

// Each adds the fabric, or a part of it, below the present boxes of the picture.
void add_fabric(Picture& picture, const Fabric& fabric);
void add_tiers(Picture& picture, const Fabric& fabric);
void add_dragonfly(Picture& picture, const Fabric& fabric);
void add_torus(Picture& picture, const Fabric& fabric);
void add_fabric_tables(Picture& picture, const Fabric& fabric);

}  // namespace railgauge::topo::layout

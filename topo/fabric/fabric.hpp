// A fabric as switches, hosts and the links between them: tiers, rails, and the shape that they make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topo/view.hpp"

namespace railgauge::topo::fabric {

inline constexpr std::uint32_t npos = static_cast<std::uint32_t>(-1);

// A neighbour of a switch, with all links to it.
struct Peer {
  std::uint32_t other = 0;           // a place in Fabric::switches
  std::vector<std::uint32_t> links;  // places in Graph::links; empty where only the tree of nodes joins them
  [[nodiscard]] std::uint32_t count() const { return links.empty() ? 1 : static_cast<std::uint32_t>(links.size()); }
};

struct Switch {
  std::size_t node = View::none;
  unsigned tier = 0;                 // 1: attached to hosts
  std::vector<Peer> peers;           // in ascending order of `other`
  std::vector<std::uint32_t> hosts;  // places in Fabric::hosts, once for each link, ascending
  std::uint32_t rail = npos;
  std::uint32_t unit = npos;  // leaves that share their hosts: the lowest place among them
};

// One link of a host to a switch.
struct Uplink {
  std::size_t nic = View::none;  // node
  std::uint32_t to = 0;          // a place in Fabric::switches
  std::uint32_t link = npos;     // a place in Graph::links
  std::uint32_t rail = npos;     // that its NIC is meant for, by its place among the host's NICs or by its name
};

struct Host {
  std::size_t node = View::none;
  std::vector<Uplink> uplinks;  // in the order of its NICs
};

enum class Shape : std::uint8_t { tiers, fat_tree, rails, dragonfly, torus };

struct Fabric {
  const View* view = nullptr;  // not owned
  std::vector<Switch> switches;
  std::vector<Host> hosts;
  unsigned tiers = 0;
  std::vector<std::vector<std::uint32_t>> by_tier;  // of each tier up to `tiers`: places in `switches`; none of tier 0
  std::uint32_t rails = 0;                          // 0: none
  std::vector<std::string> rail_names;              // of each rail: what the NICs on it are called, "mlx5_3"
  bool cables = false;                              // links are told, and not only who is below whom
  Shape shape = Shape::tiers;
  std::string shape_words;                            // "two-tier tree"
  std::vector<std::uint32_t> groups;                  // of a dragonfly: the group of each switch
  std::vector<std::vector<std::uint32_t>> positions;  // of a torus: the coordinates of each switch
  std::vector<std::uint32_t> sizes;                   // of a torus: switches in each dimension

  // Whether its tiers mean something: switches of a torus or a dragonfly are equals.
  [[nodiscard]] bool tiered() const { return shape != Shape::torus && shape != Shape::dragonfly; }
  [[nodiscard]] const Node& node(const Switch& it) const { return view->node(it.node); }
  [[nodiscard]] const Node& node(const Host& it) const { return view->node(it.node); }
  [[nodiscard]] std::string name(const Switch& it) const;
  [[nodiscard]] std::string name(const Host& it) const;
};

// Has no switches when the graph has no fabric. Takes O(nodes + links) time, except for sorting. The result refers to the view,
// which must outlive it.
[[nodiscard]] Fabric read_fabric(const View& view);

// Finds rails and units, when each host has one NIC in each: called by read_fabric().
void find_rails(Fabric& fabric);
// Recognises a torus or dragonfly, when nearly all switches have hosts: called by read_fabric().
void recognise_direct(Fabric& fabric);

// Links between the groups of a dragonfly.
struct GroupLinks {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // groups, the lower first
  struct Links {
    std::vector<std::uint32_t> places;  // in Graph::links
    std::uint32_t count = 0;
  };
  std::uint32_t groups = 0;
  std::map<Pair, Links> pairs;  // those that are joined
  std::uint32_t usual = 0;      // links of most of them
  std::size_t as_usual = 0;     // pairs that have so many

  [[nodiscard]] std::size_t all() const { return std::size_t{groups} * (groups - 1) / 2; }  // pairs, joined or not
  [[nodiscard]] std::uint32_t count(std::uint32_t a, std::uint32_t b) const;
};
[[nodiscard]] GroupLinks links_of_groups(const Fabric& fabric);

// The node at the host's end of an uplink: a port, or the NIC or machine where no port is told.
[[nodiscard]] std::size_t end_of(const Fabric& fabric, const Uplink& up);

// Whether a sorts before b when digits compare by value: "node9" before "node10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace railgauge::topo::fabric

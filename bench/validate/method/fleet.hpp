// The hosts that are validated, the fabric between them as far as it is known, and the components that can be faulty: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge::validate {

using Index = std::uint32_t;  // a place in one of the lists of Fleet
inline constexpr Index npos = 0xffffffff;

// The end of a host's cable on one rail.
struct Attachment {
  std::string port;  // the host's, as topo::View::label() says it: "mlx5_0/1"; empty where it is unknown
  Index leaf = npos;
  unsigned leaf_port = 0;     // 0 is unknown
  std::uint32_t address = 0;  // the LID by which switches forward to it; 0 is unknown
  std::string cable;          // topo::link_key(); empty where only the switch is known
};

struct Host {
  std::string name;   // as the launcher gives it
  std::string model;  // hosts of one model should be equally fast
  Index pod = npos;
  std::vector<Attachment> rails;  // by rail; empty where none is known
};

enum class Tier : std::uint8_t { leaf, spine, core };

struct Switch {
  std::string key, name;  // of the topology; for people
  Tier tier = Tier::leaf;
  // Filled by join_sets(), for fleets without a route:
  Index set = npos;    // the set of switches that can stand in for each other: the smallest place of its members
  Index above = npos;  // the set that its cables lead up to
};

// A cable between two switches.
struct Cable {
  std::string key;     // topo::link_key()
  Index a = 0, b = 0;  // switches; a is the one nearer to the hosts
  unsigned a_port = 0, b_port = 0;
};

struct Hop {
  Index cable = 0;
  bool down = false;  // from b to a
};

// Appends the cables that data crosses from one host to another, in order, without those of the hosts; none below one leaf.
using Route = std::function<void(Index from, Index to, Index rail, std::vector<Hop>& hops)>;

struct Fleet {
  std::vector<Host> hosts;
  Index rails = 1;  // ports of each host, each to the port of the same number of another host
  std::vector<Switch> switches;
  std::vector<Cable> cables;
  Route route;  // empty where routes are unknown, or chosen anew for each flow
};

// Fills Switch::set and Switch::above by the cables alone, for fabrics whose routes are unknown or chosen anew for each flow.
// Switches above the same leaf are one set, and so are the switches above one set. Components of sets can then be named.
void join_sets(Fleet& fleet);

// The sets that data crosses on its path up and down.
struct SetsPassed {
  struct Side {
    Index leaf = npos, set = npos, top = npos;  // the leaf, the set above it, and the set above that
  };
  Side up, down;
  bool leaves = false;  // data leaves the leaf, and both sets are known: it crosses uplinks
  bool above = false;   // data leaves the set for the set of another leaf
};
[[nodiscard]] SetsPassed sets_passed(const Fleet& fleet, Index from, Index to, Index rail);

// How far apart two hosts are on a rail.
enum class Distance : std::uint8_t { unknown, leaf, pod, pods };
[[nodiscard]] Distance distance(const Fleet& fleet, Index a, Index b, Index rail);

// One direction between two hosts on one rail.
struct Measurement {
  Index from = 0, to = 0, rail = 0;
  Index round = 0;  // unique: measurements of one pair in one round may share what disturbed them
  double gigabytes_per_second = 0;
  Seconds at{};  // when it began, since the run did; of what is slow at times it gives the period
};

struct Pair {
  Index a = 0, b = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

// The pairs that are measured at the same time, each on all rails and in both directions. No host is in two of them.
struct Round {
  Distance aim = Distance::unknown;  // the distance that was preferred; some pairs may have another
  std::vector<Pair> pairs;
};

// The kinds of components that bandwidth alone can tell apart.
enum class ComponentKind : std::uint8_t {
  host,        // a host on all its rails
  nic,         // of one rail: the NIC, its PCIe link, the cable, or the port of the leaf
  leaf,        // the switch, for all that passes it
  uplink,      // a cable between leaf and spine
  spine,       // a switch above the leaves
  spine_link,  // a cable above the spines
  // Where no route says which one it was (Switch::set):
  uplinks,     // any of the cables from a leaf to its spines
  spines,      // any switch of a set above the leaves; `at` is the set
  spine_links  // any of the cables from a set of spines to what is above them; `at` is the set
};

// Of a host or a leaf `out` is what it sends and `in` what it receives; of cables `out` is up and `in` is down.
enum class Direction : std::uint8_t { both, out, in };

struct Component {
  ComponentKind kind = ComponentKind::host;
  Direction direction = Direction::both;
  Index at = 0;       // host, switch, cable or set of switches
  Index rail = npos;  // the rail of a nic; else npos
  friend bool operator==(const Component&, const Component&) = default;
};

[[nodiscard]] constexpr bool at_host(const Component& it) {
  return it.kind == ComponentKind::host || it.kind == ComponentKind::nic;
}
[[nodiscard]] constexpr bool at_cable(const Component& it) {
  return it.kind == ComponentKind::uplink || it.kind == ComponentKind::spine_link;
}
[[nodiscard]] constexpr bool in_set(const Component& it) {
  return it.kind == ComponentKind::uplinks || it.kind == ComponentKind::spines || it.kind == ComponentKind::spine_links;
}

// Whether data from one host to another crosses the component. `hops` are those of Fleet::route; empty where the route is
// unknown.
[[nodiscard]] bool crosses(const Fleet& fleet, const Component& component, Index from, Index to, Index rail,
                           std::span<const Hop> hops);

[[nodiscard]] Index leaf_of(const Fleet& fleet, Index host, Index rail);  // npos where it is unknown

}  // namespace railgauge::validate

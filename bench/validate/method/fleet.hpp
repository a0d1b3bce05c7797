// What is known of the hosts that are validated and of the fabric between them, and what of it can be at fault. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace railgauge::validate {

using Index = std::uint32_t;  // a place in one of the lists of Fleet
inline constexpr Index npos = 0xffffffff;

// The end of a host's cable on one rail.
struct Attachment {
  std::string port;  // the host's, as topo::View::label() says it: "mlx5_0/1"; empty where it is unknown
  Index leaf = npos;
  unsigned leaf_port = 0;     // 0 is unknown
  std::uint32_t address = 0;  // by which switches forward what is for it: its LID; 0 is unknown
  std::string cable;          // topo::link_key(); empty where only the switch is known
};

struct Host {
  std::string name;   // as the launcher says it
  std::string model;  // hosts of one model should be equally fast
  Index pod = npos;
  std::vector<Attachment> rails;  // by rail; empty where nothing is known
};

enum class Tier : std::uint8_t { leaf, spine, core };

struct Switch {
  std::string key, name;  // of the topology; for people
  Tier tier = Tier::leaf;
  // By join_sets(), for fleets without a route:
  Index set = npos;    // of switches that data may take in place of each other: the smallest place of its members
  Index above = npos;  // the set that its cables lead up to
};

// Between two switches.
struct Cable {
  std::string key;     // topo::link_key()
  Index a = 0, b = 0;  // switches; a is the one nearer to the hosts
  unsigned a_port = 0, b_port = 0;
};

struct Hop {
  Index cable = 0;
  bool down = false;  // from b to a
};

// Appends the cables between the leaves in the order in which data takes them from one host to another; none within a leaf.
using Route = std::function<void(Index from, Index to, Index rail, std::vector<Hop>& hops)>;

struct Fleet {
  std::vector<Host> hosts;
  Index rails = 1;  // ports of each host, each to the port of the same number of another host
  std::vector<Switch> switches;
  std::vector<Cable> cables;
  Route route;  // empty where routes are unknown, or chosen anew for each flow
};

// Where routes are unknown, or chosen anew for each flow: which switches may stand in for each other, going by the cables alone.
// Switches above the same leaf are one set, and so are those above one set. Parts of those sets can then be named.
void join_sets(Fleet& fleet);

// Which of them data passes on its way up and down.
struct SetsPassed {
  struct Side {
    Index leaf = npos, set = npos, top = npos;  // a leaf, the set above it, and the set above that
  };
  Side up, down;
  bool leaves = false;  // the leaf, and both sets are known: their uplinks are passed
  bool above = false;   // the set, for that of another leaf
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
};

struct Pair {
  Index a = 0, b = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

// What is measured at the same time: each pair on all rails, each way. No host is in two pairs.
struct Round {
  Distance aim = Distance::unknown;  // what was preferred; not every pair may be so
  std::vector<Pair> pairs;
};

// What can be at fault, as far as bandwidth alone can tell.
enum class Part : std::uint8_t {
  host,        // on all its rails
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

enum class Way : std::uint8_t { both, out, in };  // of a host or leaf: what it sends, what it receives. Of cables: up, down.

struct Component {
  Part part = Part::host;
  Way way = Way::both;
  Index at = 0;       // host, switch, cable or set of switches
  Index rail = npos;  // of a nic
  friend bool operator==(const Component&, const Component&) = default;
};

[[nodiscard]] constexpr bool at_host(const Component& it) { return it.part == Part::host || it.part == Part::nic; }
[[nodiscard]] constexpr bool at_cable(const Component& it) { return it.part == Part::uplink || it.part == Part::spine_link; }
[[nodiscard]] constexpr bool in_set(const Component& it) {
  return it.part == Part::uplinks || it.part == Part::spines || it.part == Part::spine_links;
}

// Whether data from one host to another passes it. `hops` is what Fleet::route says of them; empty where it is unknown.
[[nodiscard]] bool crosses(const Fleet& fleet, const Component& component, Index from, Index to, Index rail,
                           std::span<const Hop> hops);

[[nodiscard]] Index leaf_of(const Fleet& fleet, Index host, Index rail);  // unknown where it is

}  // namespace railgauge::validate

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
inline constexpr Index nowhere = 0xffffffff;

// The end of a host's cable on one rail.
struct Attachment {
  std::string port;  // the host's, as topo::View::label() says it: "mlx5_0/1"; empty where it is unknown
  Index leaf = nowhere;
  unsigned leaf_port = 0;  // 0 is unknown
};

struct Host {
  std::string name;   // as the launcher says it
  std::string model;  // hosts of one model should be equally fast
  Index pod = nowhere;
  std::vector<Attachment> rails;  // by rail; empty where nothing is known
};

enum class Tier : std::uint8_t { leaf, spine, core };

struct Switch {
  std::string key, name;  // of the topology; for people
  Tier tier = Tier::leaf;
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
  host,       // on all its rails
  nic,        // of one rail: the NIC, its PCIe link, the cable, or the port of the leaf
  leaf,       // the switch, for all that passes it
  uplink,     // a cable between leaf and spine
  spine,      // a switch above the leaves
  spine_link  // a cable above the spines
};

enum class Way : std::uint8_t { both, out, in };  // of a host or leaf: what it sends, what it receives. Of a cable: up, down.

struct Component {
  Part part = Part::host;
  Way way = Way::both;
  Index at = 0;          // host, switch or cable
  Index rail = nowhere;  // of a nic
  friend bool operator==(const Component&, const Component&) = default;
};

// Whether data from one host to another passes it. `hops` is what Fleet::route says of them; empty where it is unknown.
[[nodiscard]] bool crosses(const Fleet& fleet, const Component& component, Index from, Index to, Index rail,
                           std::span<const Hop> hops);

[[nodiscard]] Index leaf_of(const Fleet& fleet, Index host, Index rail);  // unknown where it is

}  // namespace railgauge::validate

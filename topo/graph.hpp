// The graph of a machine or a cluster: nodes, the links between them, and the bandwidth of each link. Value types only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace railgauge::topo {

enum class Kind : std::uint8_t {
  machine,
  package,
  numa,
  pci_root,    // host bridge: where a PCIe tree begins
  pci_bridge,  // root port, or downstream port of a switch
  pci_switch,  // upstream port of a PCIe switch
  gpu,
  accelerator,  // computes, has no display, and is no known GPU
  display,      // has a display only: the board's management controller, or a virtual machine's screen
  nic,
  port,  // one port of a NIC
  nvswitch,
  partition,      // of a GPU: a MIG instance, or one of several dies that appear as GPUs of their own
  fabric_switch,  // one switch ASIC of an InfiniBand or Ethernet fabric; also a switch or block of a Slurm topology
  rail,           // the NICs, one of each machine, that are attached to the same leaves
  rack,           // or tray, or the domain of an NVSwitch system
  storage,
  device,  // any other
};

enum class LinkKind : std::uint8_t {
  internal,  // inside one chip: PCIe root to its NUMA node, NIC to its port
  memory,    // package to NUMA node
  distance,  // relative latency between two NUMA nodes, from the firmware's SLIT
  pcie,
  nvlink,
  xgmi,
  c2c,         // NVLink-C2C, processor to GPU
  cpu,         // package to package: UPI, Infinity Fabric
  infiniband,  // one cable, or one trace of a director's backplane
  ethernet,
  tree,  // parent and child in Slurm's topology.conf; the cables are unknown
  path,  // a path between two devices of which only the class is known: attribute "path", a word of topo/path.hpp
};

enum class LinkState : std::uint8_t {
  unknown,
  active,
  low,  // a power-saving state that ends with traffic: an idle GPU's PCIe link
  init,
  armed,
  down,  // nothing at the other end, or polling
  disabled,
};

// A whole number, a text, or several texts. The attribute's name holds the unit: "memory_bytes".
using Value = std::variant<std::uint64_t, std::string, std::vector<std::string>>;
using Attributes = std::map<std::string, Value, std::less<>>;
using Provenance = std::vector<std::string>;                         // names of the sources: "hwloc"
inline constexpr std::string_view cable_plan_source = "cable-plan";  // which tells what is to be, not what is

// `key` is the same on every run and for every source: PCI address ("0000:3b:00.0"), "numa0" (the kernel's number), "package0",
// "machine", "pci0000:00" (PCIe root of that bus), "os:sda" (no PCI address is known), and in a fabric the GUID as guid_key()
// writes it (a switch, or a NIC whose PCI address is unknown), "<node GUID>/<port>" (port of a NIC),
// "domain:<cluster>/<clique>" (an NVLink fabric of several machines; also the prefix of its switches' keys). In a graph of
// several machines, the machine's key is its name, and "NAME/" precedes keys that are unique only within it. The attributes
// "node_guid" and "uuid" are further names of a node: merge() joins by them too.
struct Node {
  std::string key;
  Kind kind = Kind::device;
  std::string name;    // for people: "ConnectX-6", "AMD EPYC"
  std::string parent;  // key of the node that contains it; empty for the machine
  Attributes attributes;
  Provenance provenance;
};

// GB/s (1e9 bytes) in each direction; 0 is unknown.
struct Bandwidth {
  double line = 0;     // signalling rate, coding included
  double nominal = 0;  // largest payload
  double usable = 0;   // what a good program should reach
};

struct Rate {
  unsigned width = 0;  // lanes; 0 is unknown
  double speed = 0;    // gigabits (of PCIe: gigatransfers) per second and lane; 0 is unknown
};

// Counters of a port since their reset, by the names of the kernel or perfquery: "symbol_error", "link_downed",
// "port_rcv_errors", "replay".
using Counters = std::map<std::string, std::uint64_t, std::less<>>;

// `a` is the end nearer to the processor or to the hosts, if one is. Bandwidths are the same in both directions.
struct Link {
  std::string a, b;                 // keys of nodes
  unsigned a_port = 0, b_port = 0;  // port numbers on the switch or device, from 1; 0: unknown, or the node has no ports
  LinkKind kind = LinkKind::internal;
  unsigned count = 1;  // parallel equal links; the bandwidth is their sum
  Bandwidth bandwidth;
  Rate capable, active;
  Rate active_at_b;  // as end b reports it, where that differs from end a; else zeros
  LinkState state = LinkState::unknown;
  Counters a_counters, b_counters;  // of the port at that end
  Attributes attributes;
  Provenance provenance;
};

// Nodes are in depth-first order, parents before children. Links name only keys of nodes in the graph.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Link> links;
};

struct KindRow {
  Kind kind;
  std::string_view name;  // in files
  std::string_view word;  // for people, singular
  std::string_view many;  // for people, plural
};
struct LinkKindRow {
  LinkKind kind;
  std::string_view name;
  std::string_view word;
};

struct LinkStateRow {
  LinkState state;
  std::string_view name;
};

// One row for each enumerator, in the order of the enumeration. Static storage.
[[nodiscard]] std::span<const KindRow> kinds() noexcept;
[[nodiscard]] std::span<const LinkKindRow> link_kinds() noexcept;
[[nodiscard]] std::span<const LinkStateRow> link_states() noexcept;
[[nodiscard]] const KindRow& row(Kind) noexcept;
[[nodiscard]] const LinkKindRow& row(LinkKind) noexcept;
[[nodiscard]] const LinkStateRow& row(LinkState) noexcept;

[[nodiscard]] inline bool joins_gpus(LinkKind kind) noexcept { return kind == LinkKind::nvlink || kind == LinkKind::xgmi; }
[[nodiscard]] inline bool is_cable(LinkKind kind) noexcept { return kind == LinkKind::infiniband || kind == LinkKind::ethernet; }
[[nodiscard]] inline bool is_off(const Link& link) noexcept {
  return link.state == LinkState::down || link.state == LinkState::disabled;
}
// GB/s in each direction: the nominal bandwidth, or the line rate where only that is known; 0 is unknown.
[[nodiscard]] inline double payload(const Bandwidth& it) noexcept { return it.nominal > 0 ? it.nominal : it.line; }
[[nodiscard]] bool told_by(const Provenance& sources, std::string_view source);

// "0x" and 16 hexadecimal digits, from any notation of a GUID: "a088:c203:00ab:0000", "0xa088c20300ab0000",
// "a088c20300ab0000". Empty when the text is no GUID, or zero.
[[nodiscard]] std::string guid_key(std::string_view text);

// The value of an attribute; empty or 0 when there is no such attribute or it has another type.
[[nodiscard]] std::string_view text_of(const Attributes&, std::string_view name);
[[nodiscard]] std::uint64_t number_of(const Attributes&, std::string_view name);
[[nodiscard]] std::span<const std::string> list_of(const Attributes&, std::string_view name);

}  // namespace railgauge::topo

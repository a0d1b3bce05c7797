// Reads the kernel's words about RDMA devices and their ports, as collect_verbs() keeps them:
//
//     railgauge verbs 1
//     device mlx5_0
//     pci 0000:3b:00.0
//     node_guid a088:c203:00ab:0000
//     port 1
//     rate 400 Gb/sec (4X NDR)
//     counter symbol_error 0
#include "topo/read/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "topo/infiniband.hpp"
#include "topo/pci.hpp"
#include "topo/read/ending.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::string_view head = "railgauge verbs 1";

struct Port {
  unsigned number = 0;
  std::string rate, link_layer;
  LinkState state = LinkState::unknown;
  Attributes attributes;
  Counters counters;
};

struct Device {
  std::string name, pci;
  Attributes attributes;
  std::vector<Port> ports;
};

struct Copied {
  std::string_view word, attribute;
};
constexpr auto of_device = std::to_array<Copied>({
    {"node_guid", "node_guid"},
    {"sys_image_guid", "sys_image_guid"},
    {"node_desc", "description"},
    {"node_type", "node_type"},
    {"fw_ver", "firmware"},
    {"hca_type", "hca_type"},
    {"board_id", "board_id"},
});
constexpr auto of_port = std::to_array<Copied>({
    {"rate", "rate"},
    {"phys_state", "physical_state"},
    {"link_layer", "link_layer"},
    {"lid", "lid"},
    {"sm_lid", "sm_lid"},
    {"gid", "gid"},
});

// The kernel's number of a port's state, and hwloc's words for it.
struct StateRow {
  std::uint64_t number;
  std::string_view word;
  LinkState state;
};
constexpr auto states = std::to_array<StateRow>({
    {1, "down", LinkState::down},
    {2, "init", LinkState::init},
    {3, "armed", LinkState::armed},
    {4, "active", LinkState::active},
    {5, "active deferred", LinkState::active},
});
constexpr std::uint64_t physically_disabled = 3;

// The manual of InfiniBand counts these in words of 4 bytes, and so does the kernel for every kind of port.
struct Words {
  std::string_view counter, bytes;
};
constexpr auto words =
    std::to_array<Words>({{"port_rcv_data", "port_rcv_data_bytes"}, {"port_xmit_data", "port_xmit_data_bytes"}});
constexpr std::uint64_t word_bytes = 4;

std::optional<std::uint64_t> whole(std::string_view text) {
  Scan scan(text);
  const auto number = scan.number();
  return number && scan.done() ? number : std::nullopt;
}

void count(Port& port, std::string_view text) {
  Scan scan(text);
  const std::string_view name = scan.word();
  const auto value = whole(scan.blanks().rest());
  if (name.empty() || !value) return;
  const auto row = std::find_if(words.begin(), words.end(), [&](const Words& it) { return it.counter == name; });
  if (row == words.end())
    port.counters[std::string(name)] = *value;
  else if (*value <= UINT64_MAX / word_bytes)
    port.counters[std::string(row->bytes)] = *value * word_bytes;
}

void take(Port& port, std::string_view key, std::string_view value) {
  if (key == "counter" || key == "hw_counter") count(port, value);
  for (const Copied& it : of_port)
    if (key == it.word && !value.empty()) port.attributes[std::string(it.attribute)] = std::string(value);
  Scan scan(value);
  if (key == "rate") port.rate = std::string(value);
  if (key == "link_layer") port.link_layer = std::string(value);
  if (key == "phys_state" && scan.number() == physically_disabled) port.state = LinkState::disabled;
  if (key != "state") return;
  const auto number = scan.number();
  for (const StateRow& it : states) {
    if (number != it.number) continue;
    port.attributes["state"] = std::string(it.word);
    if (port.state != LinkState::disabled || it.state != LinkState::down) port.state = it.state;
  }
}

void take(Device& device, std::string_view key, std::string_view value) {
  if (key == "pci") device.pci = pci_key(value);
  for (const Copied& it : of_device)
    if (key == it.word && !value.empty()) device.attributes[std::string(it.attribute)] = std::string(value);
  if (key == "interface" && !value.empty()) {
    auto& list = device.attributes.try_emplace("interfaces", std::vector<std::string>()).first->second;
    std::get<std::vector<std::string>>(list).emplace_back(value);
  }
}

class Reader {
 public:
  explicit Reader(const Reading& reading) : reading_(reading) {}

  std::vector<Device> devices() {
    Lines lines(reading_.text);
    if (!lines.next() || lines.line() != head) fail(1, fmt::format("'{}' was expected", head));
    std::vector<Device> devices;
    while (lines.next()) {
      Scan scan(lines.line());
      const std::string_view key = scan.word();
      const std::string_view value = scan.blanks().rest();
      if (key.empty() || key.starts_with('#')) continue;
      if (key == "device") {
        if (value.empty()) fail(lines.number(), "'device' and its name were expected");
        devices.emplace_back().name = std::string(value);
      } else if (devices.empty()) {
        fail(lines.number(), "'device' and its name were expected before anything about one");
      } else if (key == "port") {
        const auto number = whole(value);
        if (!number || *number == 0 || *number > most_ports)
          fail(lines.number(), fmt::format("a port from 1 to {} was expected", most_ports));
        devices.back().ports.emplace_back().number = static_cast<unsigned>(*number);
      } else if (devices.back().ports.empty()) {
        take(devices.back(), key, value);
      } else {
        take(devices.back().ports.back(), key, value);
      }
    }
    if (devices.empty()) fail(lines.number(), "there is no RDMA device in it");
    return devices;
  }

 private:
  static constexpr std::uint64_t most_ports = 255;

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", reading_.origin, line, what));
  }
  const Reading& reading_;
};

class Builder {
 public:
  Graph graph(std::vector<Device> devices) {
    add("machine", Kind::machine, "machine", "");
    for (Device& device : devices) add_device(device);
    return std::move(graph_);
  }

 private:
  // False when there is such a node already.
  bool add(const std::string& key, Kind kind, const std::string& name, const std::string& parent) {
    if (!taken_.insert(key).second) return false;
    Node node;
    node.key = key;
    node.kind = kind;
    node.name = name;
    node.parent = parent;
    node.provenance = {"verbs"};
    graph_.nodes.push_back(std::move(node));
    return true;
  }

  void add_device(Device& device) {
    const std::string guid = guid_key(text_of(device.attributes, "node_guid"));
    if (guid.empty()) device.attributes.erase("node_guid");
    const std::string other = guid.empty() ? "os:" + device.name : guid;
    const std::string key = device.pci.empty() ? other : device.pci;
    const std::string_view type = text_of(device.attributes, "hca_type");
    if (!add(key, Kind::nic, type.empty() ? device.name : fmt::format("{} {}", device.name, type), "machine")) return;
    device.attributes["verbs"] = std::vector<std::string>{device.name};
    graph_.nodes.back().attributes = std::move(device.attributes);
    for (Port& port : device.ports) {
      const std::string at = fmt::format("{}/{}", other, port.number);
      if (!add(at, Kind::port, fmt::format("{}/{}", device.name, port.number), key)) continue;
      graph_.nodes.back().attributes = std::move(port.attributes);
      Link link;
      link.a = key;
      link.b = at;
      link.kind = LinkKind::internal;
      link.state = port.state;
      link.b_counters = std::move(port.counters);
      link.provenance = {"verbs"};
      // A port that is down keeps the rate of before, or tells the least that it could have.
      if (port.state != LinkState::down && port.state != LinkState::disabled) {
        const PortRate told = port_rate(port.rate, port.link_layer != "InfiniBand");
        link.active = told.rate;
        link.bandwidth = told.bandwidth;
      }
      graph_.links.push_back(std::move(link));
    }
  }

  Graph graph_;
  std::set<std::string> taken_;
};

}  // namespace

PortRate port_rate(std::string_view text, bool ethernet) {
  double gigabits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gigabits);
  if (error != std::errc() || !(gigabits > 0) || gigabits > 1e6) return {};
  Scan scan(text.substr(static_cast<std::size_t>(end - text.data())));
  if (!scan.blanks().take("Gb/sec")) return {};
  PortRate result;
  Scan inside(scan.blanks().between('(', ')').value_or(std::string_view()));
  const auto lanes = inside.number();
  if (lanes && *lanes >= 1 && *lanes <= 12 && inside.take("X")) result.rate.width = static_cast<unsigned>(*lanes);
  if (result.rate.width == 0) result.rate.width = 1;
  const double lane = gigabits / result.rate.width;
  const InfinibandSpeed* speed = ethernet ? nullptr : infiniband_speed(inside.word());
  // Without a name the kernel gives the sum of the lanes: signals up to QDR, data from then on.
  for (const InfinibandSpeed& row : infiniband_speeds())
    if (!ethernet && speed == nullptr && (std::abs(row.signalling - lane) < 0.1 || std::abs(row.data - lane) < 0.1)) speed = &row;
  if (speed != nullptr) {
    result.rate.speed = speed->signalling;
    result.bandwidth = infiniband_bandwidth(result.rate);
    return result;
  }
  // Of a packet of 4096 bytes of data RoCE v2 carries some 90 more, with the gap between packets.
  constexpr double share_of_data = 4096.0 / (4096 + 90);
  result.rate.speed = lane;
  result.bandwidth = {gigabits / 8, gigabits / 8, gigabits / 8 * share_of_data};
  return result;
}

bool is_verbs(std::string_view text) { return text.starts_with(head); }

Graph read_verbs(const Reading& reading) {
  Graph graph = Builder().graph(Reader(reading).devices());
  check_end(graph, reading);
  return graph;
}

}  // namespace railgauge::topo

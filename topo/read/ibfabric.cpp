// Decodes NodeInfo and PortInfo (InfiniBand Architecture Specification, volume 1, chapter 14) of every node and port.
#include "topo/read/ibfabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/fabric.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::string_view first_words = "# railgauge: InfiniBand fabric";

using Bytes = std::array<std::uint8_t, 64>;

// `count` bytes from `at`, the first one highest.
std::uint64_t number_at(const Bytes& bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = at; i < at + count; ++i) value = value << 8U | bytes[i];
  return value;
}

unsigned high(std::uint8_t byte) { return byte >> 4U; }
unsigned low(std::uint8_t byte) { return byte & 15U; }

constexpr std::uint64_t has_extended_speeds = 1U << 14U;  // CapabilityMask

std::uint64_t capabilities(const Bytes& info) { return number_at(info, 20, 4); }

class Answers {
 public:
  explicit Answers(const Reading& reading) {
    fabric_.source = reading.source;
    fabric_.origin = reading.origin;
    for (Lines lines(reading.text); lines.next();) {
      line_ = lines.number();
      if (!lines.line().empty() && lines.line()[0] != '#') read(lines.line());
    }
  }

  Fabric take() {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (peers_[i].empty()) continue;
      const auto place = places_.find(peers_[i]);
      if (place == places_.end()) refuse(fabric_.ports[i].line, fmt::format("the peer {} is no node of this reading", peers_[i]));
      fabric_.ports[i].peer = place->second;
    }
    return std::move(fabric_);
  }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", fabric_.origin, line, what));
  }

  Bytes bytes(std::string_view digits) const {
    Bytes value{};
    if (digits.size() != 2 * value.size())
      refuse(line_, fmt::format("expected {} hexadecimal digits after info=", 2 * value.size()));
    for (std::size_t i = 0; i < value.size(); ++i) {
      Scan scan(digits.substr(2 * i, 2));
      const auto byte = scan.number(16);
      if (!byte || !scan.done()) refuse(line_, "expected hexadecimal digits after info=");
      value[i] = static_cast<std::uint8_t>(*byte);
    }
    return value;
  }

  std::uint64_t number(std::string_view name, std::string_view text) const {
    Scan scan(text);
    const auto value = scan.number();
    if (!value || !scan.done()) refuse(line_, fmt::format("expected a number after {}=, found '{}'", name, text.substr(0, 60)));
    return *value;
  }

  // "symbol_error:0,port_xmit_data:12345"
  Counters counters(std::string_view text) const {
    Counters all;
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      const std::size_t colon = text.substr(0, comma).find(':');
      if (colon == std::string_view::npos || colon == 0)
        refuse(line_,
               fmt::format("expected NAME:COUNT after counters=, found '{}'", text.substr(0, std::min<std::size_t>(comma, 60))));
      all[std::string(text.substr(0, colon))] = number("counters", text.substr(colon + 1, comma - colon - 1));
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return all;
  }

  std::string guid(std::string_view text) const {
    std::string key = guid_key(text);
    if (key.empty()) refuse(line_, fmt::format("expected a GUID, found '{}'", text.substr(0, 60)));
    return key;
  }

  void read(std::string_view line) {
    Scan scan(line);
    const std::string_view word = scan.word();
    if (word == "node")
      read_node(scan);
    else if (word == "port")
      read_port(scan);
    else
      refuse(line_, fmt::format("expected `node` or `port`, found '{}'", word.substr(0, 60)));
  }

  void read_node(Scan& scan) {
    FabricNode node;
    node.line = line_;
    const std::string_view kind = scan.word();
    if (kind == "switch")
      node.kind = FabricKind::fabric_switch;
    else if (kind == "router")
      node.kind = FabricKind::router;
    else if (kind != "adapter")
      refuse(line_, fmt::format("expected `switch`, `adapter` or `router`, found '{}'", kind.substr(0, 60)));
    capabilities_ = 0;
    while (!scan.blanks().done()) {
      if (scan.take("description=")) {
        node.description = scan.rest();
        break;
      }
      const std::string_view word = scan.word();
      const std::string_view name = word.substr(0, word.find('='));
      const std::string_view value = word.substr(std::min(word.size(), name.size() + 1));
      if (name == "guid") {
        node.key = guid(value);
      } else if (name == "lid" || name == "chassis" || name == "slot") {
        // Of an adapter each port has a LID.
        const std::uint64_t given = number(name, value);
        if (given != 0 && (name != "lid" || node.kind != FabricKind::adapter)) node.attributes[std::string(name)] = given;
      } else if (name == "routes") {
        if (!forwarding_table(value)) refuse(line_, "expected a forwarding table after routes=, as 1=20,2-5=3");
        node.attributes[std::string(forwarding_attribute)] = std::string(value);
      } else if (name == "info") {
        const Bytes info = bytes(value);
        node.ports = info[3];
        if (std::string system = guid_key(fmt::format("{:x}", number_at(info, 4, 8))); !system.empty())
          node.attributes["system_guid"] = std::move(system);
        node.attributes["vendor_id"] = fmt::format("{:#x}", number_at(info, 37, 3));
        node.attributes["device_id"] = fmt::format("{:#x}", number_at(info, 30, 2));
      }
    }
    if (node.key.empty()) refuse(line_, "this node has no guid=");
    if (node.ports == 0) node.attributes.erase("device_id");  // it did not answer
    places_.try_emplace(node.key, fabric_.nodes.size());
    fabric_.nodes.push_back(std::move(node));
  }

  void read_port(Scan& scan) {
    if (fabric_.nodes.empty()) refuse(line_, "this port stands before any node");
    const auto number_of_port = scan.blanks().number();
    if (!number_of_port || *number_of_port > most_ports) refuse(line_, fmt::format("expected a port, 0 to {}", most_ports));
    const FabricNode& node = fabric_.nodes.back();
    FabricPort port;
    port.node = fabric_.nodes.size() - 1;
    port.number = static_cast<unsigned>(*number_of_port);
    port.line = line_;
    std::string peer;
    while (!scan.blanks().done()) {
      const std::string_view word = scan.word();
      const std::string_view name = word.substr(0, word.find('='));
      const std::string_view value = word.substr(std::min(word.size(), name.size() + 1));
      if (name == "guid") {
        if (std::string key = guid_key(value); !key.empty() && node.kind == FabricKind::adapter)
          port.attributes["port_guid"] = std::move(key);
      } else if (name == "external") {
        port.attributes["external_port"] = number(name, value);
      } else if (name == "peer") {
        const std::size_t slash = value.find('/');
        if (slash == std::string_view::npos) refuse(line_, "expected peer=GUID/PORT");
        peer = guid(value.substr(0, slash));
        const std::uint64_t at = number(name, value.substr(slash + 1));
        if (at == 0 || at > most_ports) refuse(line_, fmt::format("expected a port of the peer, 1 to {}", most_ports));
        port.peer_number = static_cast<unsigned>(at);
      } else if (name == "counters") {
        port.counters = counters(value);
      } else if (name == "info") {
        interpret(bytes(value), node, port);
      }
    }
    if (port.number == 0) return;  // a switch's own
    fabric_.ports.push_back(std::move(port));
    peers_.push_back(std::move(peer));
  }

  // A switch says at its port 0 what all its ports can.
  void interpret(const Bytes& info, const FabricNode& node, FabricPort& port) {
    if (port.number == 0 || node.kind == FabricKind::adapter) capabilities_ = capabilities(info);
    if (std::all_of(info.begin(), info.end(), [](std::uint8_t byte) { return byte == 0; })) return;
    const bool extended = (capabilities_ & has_extended_speeds) != 0;
    port.state = port_state(low(info[32]), high(info[33]));
    port.active = infiniband_rate(info[31], high(info[35]), extended ? high(info[62]) : 0);
    port.capable = infiniband_rate(info[30], high(info[32]), extended ? low(info[62]) : 0);
    // What a port where nothing is plugged in had last is no rate.
    if (port.state == LinkState::down || port.state == LinkState::disabled) port.active = {};
    if (const std::uint64_t lid = number_at(info, 16, 2); lid != 0 && node.kind == FabricKind::adapter)
      port.attributes["lid"] = lid;
  }

  Fabric fabric_;
  std::size_t line_ = 0;
  std::uint64_t capabilities_ = 0;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::string> peers_;  // of the ports, at the same places
};

}  // namespace

bool is_ibfabric(std::string_view text) { return text.starts_with(first_words); }

Graph read_ibfabric(const Reading& reading) {
  Graph graph = to_graph(Answers(reading).take());
  check_end(graph, reading);
  return graph;
}

}  // namespace railgauge::topo

// Reads ibdiagnet2.lst, a link a line:
//     { CA Ports:01 SystemGUID:98039b03005d7242 NodeGUID:... PortGUID:... VenID:000002c9 DevID:101b Rev:00000000 {node1 HCA-1}
//     LID:0005 PN:01 } { SW ... } PHY=4x LOG=ACT SPD=25
#include <fmt/format.h>

#include <array>
#include <utility>

#include "topo/infiniband.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/fabric_list.hpp"
#include "topo/read/ibdiagnet.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

struct KindWord {
  std::string_view word;
  FabricKind kind;
};
constexpr auto kind_words =
    std::to_array<KindWord>({{"CA", FabricKind::adapter}, {"SW", FabricKind::fabric_switch}, {"RTR", FabricKind::router}});

struct StateWord {
  std::string_view word;
  LinkState state;
};
constexpr auto state_words = std::to_array<StateWord>({{"ACT", LinkState::active},
                                                       {"INI", LinkState::init},
                                                       {"ARM", LinkState::armed},
                                                       {"DOWN", LinkState::down},
                                                       {"UNKNOWN", LinkState::unknown}});

class LinkList {
 public:
  explicit LinkList(const Reading& reading) : list_(reading) {
    for (Lines lines(reading.text); lines.next();) {
      line_ = lines.number();
      if (!lines.line().empty() && lines.line()[0] != '#') read(Scan(lines.line()));
    }
  }
  Fabric take() { return std::move(list_.fabric); }

 private:
  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    list_.fail(line_, found.empty() ? fmt::format("expected {}, but the line ends", what)
                                    : fmt::format("expected {}, found '{}'", what, found.substr(0, 60)));
  }

  void read(Scan scan) {
    const std::size_t a = read_end(scan);
    const std::size_t b = read_end(scan);
    const std::string_view width = value(scan, "PHY=");
    const std::string_view state = value(scan, "LOG=");
    const Rate rate = read_rate(width, scan.blanks().done() ? std::string_view("2.5") : value(scan, "SPD="));
    const auto* const known = find(state_words, state);
    if (known == nullptr) expected("ACT, INI, ARM or DOWN after LOG=", state);
    if (!scan.blanks().done()) expected("the end of the line", scan.rest());
    for (const std::size_t port : {a, b}) {
      list_.fabric.ports[port].state = known->state;
      if (known->state != LinkState::down) list_.fabric.ports[port].active = rate;
    }
    list_.join(a, b, line_);
  }

  template <class Rows>
  static const typename Rows::value_type* find(const Rows& rows, std::string_view word) {
    for (const auto& row : rows)
      if (row.word == word) return &row;
    return nullptr;
  }

  // What stands behind a name up to the next blank.
  std::string_view value(Scan& scan, std::string_view name) const {
    if (!scan.blanks().take(name)) expected(name, scan.rest());
    return scan.word();
  }

  std::uint64_t number(Scan& scan, std::string_view name, std::uint64_t most) const {
    const std::string_view text = value(scan, name);
    Scan digits(text);
    const auto number = digits.number(16);
    if (!number || !digits.done() || *number > most) expected(fmt::format("a hexadecimal number after {}", name), text);
    return *number;
  }

  std::string guid(Scan& scan, std::string_view name) const { return guid_key(value(scan, name)); }

  Rate read_rate(std::string_view width, std::string_view speed) const {
    // What no link of the specification has; EDR20 is the vendor's own.
    const bool unknown = speed == "?" || speed == "UNKNOWN" || speed == "EDR20";
    const Rate rate = infiniband_rate(std::string(width) + std::string(unknown ? "" : speed));
    if (rate.width == 0 && width != "UNKNOWN") expected("a width as 4x after PHY=", width);
    if (rate.speed <= 0 && !unknown && rate.width != 0) expected("a speed as 25 after SPD=", speed);
    return rate;
  }

  std::size_t read_end(Scan& scan) {
    if (!scan.blanks().take("{")) expected("{ and one end of a link", scan.rest());
    const std::string_view word = scan.word();
    const auto* const kind = find(kind_words, word);
    if (kind == nullptr) expected("CA, SW or RTR", word);
    const auto ports = static_cast<unsigned>(number(scan, "Ports:", 0xff));
    const std::string system = guid(scan, "SystemGUID:");
    const std::string key = guid(scan, "NodeGUID:");
    if (key.empty()) expected("a GUID after NodeGUID:", scan.rest());
    const std::string port_guid = guid(scan, "PortGUID:");
    const std::uint64_t vendor = number(scan, "VenID:", 0xffffffff);
    std::string_view device = value(scan, "DevID:");
    if (device.size() == 8) device = device.substr(0, 4);  // old versions put four zeros behind it
    Scan digits(device);
    const auto device_id = digits.number(16);
    if (!device_id || !digits.done()) expected("a hexadecimal number after DevID:", device);
    number(scan, "Rev:", 0xffffffff);
    std::string description;
    if (scan.blanks().rest().starts_with('{')) {
      const auto inside = scan.between('{', '}');
      if (!inside) expected("a description between { and }", scan.rest());
      description = *inside;
    }
    const std::uint64_t lid = number(scan, "LID:", 0xffff);
    const auto port_number = static_cast<unsigned>(number(scan, "PN:", 0xff));
    if (!scan.blanks().take("}")) expected("} behind one end of a link", scan.rest());

    const std::size_t place = list_.node(key);
    FabricNode& node = list_.fabric.nodes[place];
    if (node.line != 0 && node.kind != kind->kind)
      list_.fail(line_, fmt::format("{} is {} here and another kind of node on line {}", key, word, node.line));
    if (node.line == 0) {
      node.line = line_;
      node.kind = kind->kind;
      node.ports = ports;
      node.description = description;
      node.attributes["vendor_id"] = fmt::format("{:#x}", vendor);
      node.attributes["device_id"] = fmt::format("{:#x}", *device_id);
      if (!system.empty()) node.attributes["system_guid"] = system;
      if (kind->kind != FabricKind::adapter && lid != 0) node.attributes["lid"] = lid;
    }
    const std::size_t port = list_.port(place, port_number, line_);
    if (kind->kind == FabricKind::adapter) {
      if (lid != 0) list_.fabric.ports[port].attributes["lid"] = lid;
      if (!port_guid.empty()) list_.fabric.ports[port].attributes["port_guid"] = port_guid;
    }
    return port;
  }

  FabricList list_;
  std::size_t line_ = 0;
};

}  // namespace

bool is_ibdiagnet_links(std::string_view text) {
  for (Lines lines(text.substr(0, 64U << 10U)); lines.next();) {
    Scan scan(lines.line());
    if (scan.blanks().done() || scan.rest()[0] == '#') continue;
    if (!scan.take("{")) return false;
    const std::string_view kind = scan.word();
    return (kind == "CA" || kind == "SW" || kind == "RTR") && scan.blanks().rest().starts_with("Ports:");
  }
  return false;
}

Graph read_ibdiagnet_links(const Reading& reading) {
  Graph graph = to_graph(LinkList(reading).take());
  note_open_line(graph, reading);
  return graph;
}

}  // namespace railgauge::topo

// Reads the report of `ibnetdiscover -p`: a line for each port, with its peer where something is plugged in.
#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/fabric.hpp"
#include "topo/read/netlist.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

struct ReportedPort {
  FabricKind kind = FabricKind::adapter;
  std::uint64_t lid = 0;
  unsigned port = 0;
  std::string key;
};

// "SW  1719 10 0x7cfe9003009ce5b0"
std::optional<ReportedPort> read_port(Scan& scan) {
  ReportedPort reported;
  const std::string_view word = scan.word();
  if (word == "SW")
    reported.kind = FabricKind::fabric_switch;
  else if (word == "RT")
    reported.kind = FabricKind::router;
  else if (word != "CA")
    return std::nullopt;
  const auto lid = scan.blanks().number();
  const auto port = scan.blanks().number();
  reported.key = guid_key(scan.word());
  if (!lid || !port || *port == 0 || *port > most_ports || reported.key.empty()) return std::nullopt;
  reported.lid = *lid;
  reported.port = static_cast<unsigned>(*port);
  return reported;
}

class Report {
 public:
  explicit Report(const Reading& reading) {
    fabric_.source = reading.source;
    fabric_.origin = reading.origin;
    for (Lines lines(reading.text); lines.next();) {
      line_ = lines.number();
      const std::string_view line = lines.line();
      if (!Scan(line).blanks().done() && line[0] != '#' && !line.starts_with("ibwarn: ") && !line.starts_with("src/")) read(line);
    }
  }
  Fabric take() { return std::move(fabric_); }

 private:
  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    throw Error(Fault::usage, fmt::format("{}:{}: expected {}, found '{}'", fabric_.origin, line_, what, found.substr(0, 60)));
  }

  std::size_t node(const ReportedPort& end, std::string_view description) {
    const auto [place, fresh] = places_.try_emplace(end.key, fabric_.nodes.size());
    if (fresh) {
      FabricNode& made = fabric_.nodes.emplace_back();
      made.key = end.key;
      made.kind = end.kind;
      made.description = description;
      made.line = line_;
      if (end.kind != FabricKind::adapter && end.lid != 0) made.attributes["lid"] = end.lid;
    }
    return place->second;
  }

  void read(std::string_view line) {
    Scan scan(line);
    const auto here = read_port(scan);
    if (!here) expected("a port as `SW 1719 10 0x7cfe9003009ce5b0`", line);
    FabricPort port;
    port.number = here->port;
    port.line = line_;
    if (here->kind == FabricKind::adapter) {
      if (here->lid != 0) port.attributes["lid"] = here->lid;
      port.attributes["port_guid"] = here->key;
    }
    const std::string width(scan.word());
    const std::string_view speed = scan.word();
    const Rate rate = infiniband_rate(width + std::string(speed));
    if (width.find('x') == std::string::npos && width.find('?') == std::string::npos) expected("a width as 4x", width);
    std::string_view rest = scan.blanks().rest();
    if (!scan.take("- ")) {  // nothing is plugged in; what stands in its registers is no rate
      if (rest.size() > 1 && rest.front() == '\'' && rest.back() == '\'') rest = rest.substr(1, rest.size() - 2);
      port.node = node(*here, rest);
      port.state = LinkState::down;
      fabric_.ports.push_back(std::move(port));
      return;
    }
    const auto there = read_port(scan);
    if (!there) expected("the peer's port", rest);
    // "( 'leaf7' - 'node3 HCA-1' )"
    rest = scan.blanks().rest();
    std::string_view mine;
    std::string_view other;
    if (rest.starts_with("( '") && rest.ends_with("' )") && rest.size() > 5) {
      rest = rest.substr(3, rest.size() - 6);
      if (const std::size_t middle = rest.find("' - '"); middle != std::string_view::npos) {
        mine = rest.substr(0, middle);
        other = rest.substr(middle + 5);
      }
    }
    port.active = rate;
    port.node = node(*here, mine);
    port.peer = node(*there, other);
    port.peer_number = there->port;
    fabric_.ports.push_back(std::move(port));
  }

  Fabric fabric_;
  std::size_t line_ = 0;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

bool is_ibnetdiscover_ports(std::string_view text) {
  for (Lines lines(text.substr(0, 4096)); lines.next();) {
    if (lines.line().empty() || lines.line()[0] == '#') continue;
    Scan scan(lines.line());
    return read_port(scan).has_value();
  }
  return false;
}

Graph read_ibnetdiscover_ports(const Reading& reading) { return to_graph(Report(reading).take()); }

}  // namespace railgauge::topo

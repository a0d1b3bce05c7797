// From lists of ports to a graph: peers are paired, hosts named, links turned towards the hosts.
#include "topo/read/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "topo/infiniband.hpp"
#include "topo/merge.hpp"
#include "topo/notes.hpp"
#include "topo/read/nodes.hpp"

namespace railgauge::topo {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "HCA-1", "mlx5_0", "hfi1_0", "ibp24s0", "mlx5_bond_0".
bool is_device(std::string_view word) {
  if (word.starts_with("HCA-") && word.size() > 4) return std::all_of(word.begin() + 4, word.end(), is_digit);
  return word.size() <= 32 && word[0] >= 'a' && word[0] <= 'z' && std::any_of(word.begin(), word.end(), is_digit) &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; });
}

bool is_aggregation(const FabricNode& node) {
  if (node.kind != FabricKind::adapter) return false;
  return node.description.find("Aggregation Node") != std::string::npos ||
         text_of(node.attributes, "device_id").starts_with("0xcf0");
}

// Boards of a director are lines and spines, "L01/U1" and "S01/U1"; the only board of another switch is its chip, "U1".
bool is_director_board(std::string_view board) {
  return board.size() > 1 && (board[0] == 'L' || board[0] == 'S') && is_digit(board[1]);
}

class Builder {
 public:
  explicit Builder(Fabric fabric) : fabric_(std::move(fabric)), places_(fabric_.nodes.size()) {}

  Graph build() {
    check_keys();
    for (std::size_t i = 0; i < fabric_.ports.size(); ++i) place(i);
    pair();
    measure_distances();
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i)
      if (fabric_.nodes[i].kind != FabricKind::adapter) add_switch(fabric_.nodes[i], ports_down(i));
    add_adapters();
    for (const FabricPort& port : fabric_.ports) add_port(port);
    add_links();
    sort_depth_first(graph_);
    if (fabric_.both_ends) note_missing();
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const {
    const std::string where = line == 0 ? fabric_.origin : fmt::format("{}:{}", fabric_.origin, line);
    throw Error(Fault::usage, fmt::format("{}: {}", where, what));
  }

  std::string words(std::size_t node, unsigned number) const {
    return fmt::format("port {} of {}", number, fabric_.nodes[node].key);
  }

  void check_keys() {
    std::unordered_map<std::string_view, std::size_t> lines;
    for (const FabricNode& node : fabric_.nodes)
      if (const auto [other, fresh] = lines.emplace(node.key, node.line); !fresh)
        refuse(node.line, fmt::format("{} is here and on line {}: a GUID names one node only", node.key, other->second));
    if (fabric_.nodes.empty()) refuse(0, "this is a fabric without any switch or adapter");
  }

  // Numbers are small: each node has a list from number to place in `ports`, 0 is none.
  std::size_t& slot(std::size_t node, unsigned number) {
    if (places_[node].size() <= number) places_[node].resize(number + 1);
    return places_[node][number];
  }

  void place(std::size_t index) {
    const FabricPort& port = fabric_.ports[index];
    const unsigned most = fabric_.nodes[port.node].ports != 0 ? std::min(fabric_.nodes[port.node].ports, most_ports) : most_ports;
    if (port.number == 0 || port.number > most)
      refuse(port.line, fmt::format("expected a port of {}, 1 to {}, found {}", fabric_.nodes[port.node].key, most, port.number));
    std::size_t& here = slot(port.node, port.number);
    if (here != 0) refuse(port.line, fmt::format("{} is described twice", words(port.node, port.number)));
    here = index + 1;
  }

  // Every port that is named as a peer becomes one that names its peer too.
  void pair() {
    const std::size_t listed = fabric_.ports.size();
    for (std::size_t i = 0; i < listed; ++i) {
      if (fabric_.ports[i].peer == no_node) continue;
      FabricPort other;
      other.node = fabric_.ports[i].peer;
      other.number = fabric_.ports[i].peer_number;
      other.peer = fabric_.ports[i].node;
      other.peer_number = fabric_.ports[i].number;
      other.line = fabric_.ports[i].line;
      if (other.number <= most_ports && slot(other.node, other.number) != 0) {
        FabricPort& known = fabric_.ports[slot(other.node, other.number) - 1];
        if (known.peer == no_node) {
          known.peer = other.peer;
          known.peer_number = other.peer_number;
        } else if (known.peer != other.peer || known.peer_number != other.peer_number) {
          refuse(fabric_.ports[i].line,
                 fmt::format("{} cannot end at {}, which line {} joins with {}", words(other.peer, other.peer_number),
                             words(other.node, other.number), known.line, words(known.peer, known.peer_number)));
        }
        continue;
      }
      fabric_.ports.push_back(std::move(other));
      place(fabric_.ports.size() - 1);
      ++unlisted_;
    }
  }

  // Of a list that was cut between two lines this is all that can be seen.
  void note_missing() {
    std::string what;
    if (unlisted_ > 0) {
      const FabricPort& first = fabric_.ports[fabric_.ports.size() - unlisted_];
      what = fmt::format("{}:{}: {} of {} ports stand{} in the lines of {} peer{} alone, the first is {}", fabric_.origin,
                         first.line, unlisted_, fabric_.ports.size(), unlisted_ == 1 ? "s" : "", unlisted_ == 1 ? "its" : "their",
                         unlisted_ == 1 ? "" : "s", words(first.node, first.number));
    } else if (const FabricNode& last = fabric_.nodes.back(); places_[fabric_.nodes.size() - 1].empty()) {
      what = fmt::format("{}:{}: the last node, {}, has no port", fabric_.origin, last.line, last.key);
    }
    if (!what.empty()) add_note(graph_, what + ": the list was cut, or a node did not answer");
  }

  // Hops to the nearest adapter that is a host's.
  void measure_distances() {
    distances_.assign(fabric_.nodes.size(), no_node);
    std::deque<std::size_t> open;
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i)
      if (fabric_.nodes[i].kind == FabricKind::adapter && !is_aggregation(fabric_.nodes[i])) {
        distances_[i] = 0;
        open.push_back(i);
      }
    for (; !open.empty(); open.pop_front())
      for (const std::size_t place : places_[open.front()]) {
        const std::size_t peer = place == 0 ? no_node : fabric_.ports[place - 1].peer;
        if (peer == no_node || distances_[peer] != no_node) continue;
        distances_[peer] = distances_[open.front()] + 1;
        open.push_back(peer);
      }
  }

  Node& add(std::string key, Kind kind, std::string name, std::string parent) {
    return add_node(graph_, std::move(key), kind, std::move(name), std::move(parent), fabric_.source);
  }

  static void describe(Node& node, const FabricNode& from) {
    node.attributes = from.attributes;
    if (!from.description.empty()) node.attributes["description"] = from.description;
    if (from.ports != 0) node.attributes["ports"] = std::uint64_t{from.ports};
  }

  static bool is_down(const FabricPort& port) {
    return port.peer == no_node && (port.state == LinkState::down || port.state == LinkState::disabled);
  }

  // "3-38,40"
  std::string ports_down(std::size_t node) const {
    std::string text;
    const auto down = [&](std::size_t number) {
      return number < places_[node].size() && places_[node][number] != 0 && is_down(fabric_.ports[places_[node][number] - 1]);
    };
    for (std::size_t number = 1; number < places_[node].size(); ++number) {
      if (!down(number)) continue;
      const std::size_t first = number;
      while (down(number + 1)) ++number;
      text += fmt::format("{}{}", text.empty() ? "" : ",", first);
      if (number > first) text += fmt::format("-{}", number);
    }
    return text;
  }

  void add_switch(const FabricNode& from, std::string down) {
    const SwitchDescription it = read_switch_description(from.description);
    const bool director = is_director_board(it.board);
    std::string chassis;
    // Without a slot it is a group that libibnetdisc made of one system GUID: a switch and its own aggregation node.
    if (director || (from.attributes.contains("chassis") && from.attributes.contains("slot"))) {
      const std::string name = director ? it.system : fmt::format("chassis {}", number_of(from.attributes, "chassis"));
      chassis = director ? "chassis:" + it.system : fmt::format("chassis:{}", number_of(from.attributes, "chassis"));
      if (keys_.insert(chassis).second) {
        Node& rack = add(chassis, Kind::rack, name, "");
        rack.attributes["role"] = std::string("director");
        if (!it.model.empty()) rack.attributes["model"] = it.model;
      }
    }
    std::string name = it.system.empty() ? from.description : it.system;
    if (!it.board.empty() && it.board != "U1") name += "/" + it.board;
    Node& node = add(from.key, Kind::fabric_switch, name.empty() ? from.key : name, chassis);
    describe(node, from);
    if (!it.system.empty()) node.attributes["system"] = it.system;
    if (!it.model.empty()) node.attributes["model"] = it.model;
    if (!it.board.empty()) node.attributes["board"] = it.board;
    if (!down.empty()) node.attributes["ports_down"] = std::move(down);
    if (from.kind == FabricKind::router) node.attributes["role"] = std::string("router");
  }

  // Adapters in order of their GUIDs: of two that say that they are one device of one host, which nothing but a name that several
  // hosts share explains, the second is of a second host, wherever the discovery began.
  void add_adapters() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) {
      keys_.insert(fabric_.nodes[i].key);
      if (fabric_.nodes[i].kind == FabricKind::adapter) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return fabric_.nodes[a].key < fabric_.nodes[b].key; });
    devices_.resize(fabric_.nodes.size());
    std::map<std::pair<std::string, std::string>, unsigned> seen;
    std::unordered_map<std::string, std::string> machines;  // what tells hosts apart to key
    for (const std::size_t i : order) {
      const FabricNode& from = fabric_.nodes[i];
      if (is_aggregation(from)) {
        add_aggregation(from, i);
        continue;
      }
      Description it = from.host.empty() ? read_description(from.description) : Description{from.host, from.device};
      const bool named = !it.host.empty();
      // The adapters of one board share the GUID of their system.
      const std::string_view system = text_of(from.attributes, "system_guid");
      if (!named) it.host = fmt::format("host-{}", system.empty() ? std::string_view(from.key) : system);
      if (const unsigned times = ++seen[{it.host, named ? it.device : from.key}]; times > 1) it.host += fmt::format("#{}", times);
      auto [machine, fresh] = machines.try_emplace(it.host, it.host);
      if (fresh) {
        for (unsigned n = 2; machine->second == "machine" || !keys_.insert(machine->second).second; ++n)
          machine->second = fmt::format("{}#{}", it.host, n);
        Node& node = add(machine->second, Kind::machine, named ? it.host : from.description, "");
        if (node.name.empty()) node.name = node.key;
        if (named) node.attributes["host_name"] = it.host;
      }
      devices_[i] = !it.device.empty() ? it.device : !from.description.empty() ? from.description : from.key;
      Node& nic = add(from.key, Kind::nic, devices_[i], machine->second);
      describe(nic, from);
      if (guid_key(from.key) == from.key) nic.attributes["node_guid"] = from.key;
      if (!it.device.empty()) nic.attributes["device"] = it.device;
    }
  }

  void add_aggregation(const FabricNode& from, std::size_t index) {
    std::string above;
    for (const std::size_t place : places_[index])
      if (place != 0 && above.empty())
        if (const std::size_t peer = fabric_.ports[place - 1].peer;
            peer != no_node && fabric_.nodes[peer].kind == FabricKind::fabric_switch)
          above = fabric_.nodes[peer].key;
    Node& node = add(from.key, Kind::accelerator, "SHARP aggregation node", above);
    describe(node, from);
    node.attributes["role"] = std::string("aggregation");
    if (guid_key(from.key) == from.key) node.attributes["node_guid"] = from.key;
    devices_[index] = "SHARP";
  }

  std::string end_of(const FabricPort& port) const {
    const FabricNode& node = fabric_.nodes[port.node];
    return node.kind == FabricKind::adapter ? fmt::format("{}/{}", node.key, port.number) : node.key;
  }

  void add_port(const FabricPort& port) {
    const FabricNode& from = fabric_.nodes[port.node];
    if (from.kind != FabricKind::adapter) return;
    Node& node = add(fmt::format("{}/{}", from.key, port.number), Kind::port,
                     fmt::format("{}/{}", devices_[port.node], port.number), from.key);
    node.attributes = port.attributes;
    if (port.state != LinkState::unknown) node.attributes["state"] = std::string(row(port.state).name);
    Link inside;
    inside.a = from.key;
    inside.b = node.key;
    inside.provenance = {fabric_.source};
    graph_.links.push_back(std::move(inside));
  }

  // Whether the first end is to stand first: nearer to the hosts, then lower key, then lower number.
  bool first(const FabricPort& a, const FabricPort& b) const {
    if (distances_[a.node] != distances_[b.node]) return distances_[a.node] < distances_[b.node];
    if (a.node != b.node) return fabric_.nodes[a.node].key < fabric_.nodes[b.node].key;
    return a.number <= b.number;
  }

  static bool differ(const Rate& a, const Rate& b) {
    return (a.width != b.width && a.width != 0 && b.width != 0) || (a.speed != b.speed && a.speed > 0 && b.speed > 0);
  }

  static double lesser(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

  void add_links() {
    for (const FabricPort& a : fabric_.ports) {
      if (a.peer == no_node) continue;
      const FabricPort& b = fabric_.ports[slot(a.peer, a.peer_number) - 1];
      if (!first(a, b)) continue;
      Link link;
      link.kind = LinkKind::infiniband;
      link.a = end_of(a);
      link.b = end_of(b);
      link.a_port = a.number;
      link.b_port = b.number;
      link.active = {a.active.width != 0 ? a.active.width : b.active.width, a.active.speed > 0 ? a.active.speed : b.active.speed};
      if (differ(a.active, b.active)) link.active_at_b = b.active;
      link.capable = {static_cast<unsigned>(lesser(a.capable.width, b.capable.width)), lesser(a.capable.speed, b.capable.speed)};
      // What both ends say is slower than one says holds.
      const Bandwidth at_a = infiniband_bandwidth(link.active);
      const Bandwidth at_b = infiniband_bandwidth(link.active_at_b);
      link.bandwidth = at_b.line > 0 && at_b.line < at_a.line ? at_b : at_a;
      link.state = a.state == LinkState::unknown ? b.state : a.state;
      if (link.state == LinkState::active && b.state != LinkState::unknown) link.state = b.state;
      link.a_counters = a.counters;
      link.b_counters = b.counters;
      for (const auto& [port, name] : {std::pair{&a, "a_external_port"}, std::pair{&b, "b_external_port"}})
        if (const std::uint64_t number = number_of(port->attributes, "external_port"); number != 0)
          link.attributes[name] = number;
      link.provenance = {fabric_.source};
      graph_.links.push_back(std::move(link));
    }
  }

  Fabric fabric_;
  std::vector<std::vector<std::size_t>> places_;
  std::vector<std::size_t> distances_;
  std::vector<std::string> devices_;
  std::unordered_set<std::string> keys_;
  Graph graph_;
  std::size_t unlisted_ = 0;  // the last ones of fabric_.ports
};

}  // namespace

Graph to_graph(Fabric fabric) { return Builder(std::move(fabric)).build(); }

Description read_description(std::string_view description) {
  const std::size_t space = description.find(' ');
  // A slash stands between the parts of keys.
  if (description.empty() || space == 0 || description.substr(0, space).find('/') != std::string_view::npos) return {};
  if (space == std::string_view::npos) return {std::string(description), {}};
  const std::string_view device = description.substr(space + 1);
  if (device.empty() || !is_device(device)) return {};
  return {std::string(description.substr(0, space)), std::string(device)};
}

SwitchDescription read_switch_description(std::string_view description) {
  const std::size_t semicolon = description.find(';');
  if (!description.starts_with("MF") || semicolon == std::string_view::npos) return {};
  std::string_view rest = description.substr(semicolon + 1);
  const std::size_t colon = rest.find(':');
  SwitchDescription it{std::string(rest.substr(0, colon)), {}, {}};
  if (colon == std::string_view::npos) return it;
  rest.remove_prefix(colon + 1);
  const std::size_t slash = rest.find('/');
  it.model = rest.substr(0, slash);
  if (slash != std::string_view::npos) it.board = rest.substr(slash + 1);
  return it;
}

}  // namespace railgauge::topo

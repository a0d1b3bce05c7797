// A line is one port, what its link is like between "==(" and ")==>", and its peer. Peers are found when all lines are read.
#include "topo/read/iblinkinfo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "topo/infiniband.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/fabric_list.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::string_view arrow_begin = "==(";
constexpr std::string_view arrow_end = ")==>";

struct KindWord {
  std::string_view word;
  FabricKind kind;
};
constexpr auto kind_words = std::to_array<KindWord>(
    {{"CA: ", FabricKind::adapter}, {"Switch: ", FabricKind::fabric_switch}, {"Router: ", FabricKind::router}});

struct StateWord {
  std::string_view word;
  LinkState state;
};
constexpr auto state_words = std::to_array<StateWord>(
    {{"Down", LinkState::down}, {"Initialize", LinkState::init}, {"Armed", LinkState::armed}, {"Active", LinkState::active}});

// The port at one end of a line: "1719   10[ 3] " with the LID, the port and its external number.
struct Plug {
  std::string_view guid;  // of the port, where the line tells it
  std::uint64_t lid = 0;
  unsigned port = 0;
  std::optional<std::uint64_t> external;
  std::string_view description;
};

// "106.25 Gbps", "10.0 Gbps (FDR10)", "FDR10"; 0 for none.
double speed_in(std::string_view text) {
  if (text.find("FDR10") != std::string_view::npos) return infiniband_speed("FDR10")->signalling;
  return infiniband_rate("4x" + std::string(Scan(text).word())).speed;
}

class Report {
 public:
  explicit Report(const Reading& reading) : list_(reading) {
    for (Lines lines(reading.text); lines.next();) {
      line_ = lines.number();
      read(lines.line());
    }
    if (named_by_lines_) tell_kinds();
    const std::size_t listed = list_.fabric.ports.size();
    for (const Cable& cable : cables_) join(cable);
    // Where adapters are listed, all nodes are; with -S they are not.
    const auto end = list_.fabric.ports.begin() + static_cast<std::ptrdiff_t>(listed);
    list_.fabric.both_ends = std::any_of(list_.fabric.ports.begin(), end, [&](const FabricPort& port) {
      return list_.fabric.nodes[port.node].kind == FabricKind::adapter;
    });
    list_.fabric.ports.erase(end, list_.fabric.ports.end());  // to_graph() adds and counts what only peers name
  }
  Fabric take() { return std::move(list_.fabric); }

 private:
  struct Cable {
    std::size_t port;
    Plug peer;
    std::size_t line;
  };

  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    list_.fail(line_, found.empty() ? fmt::format("expected {}, but the line ends", what)
                                    : fmt::format("expected {}, found '{}'", what, found.substr(0, 60)));
  }

  void read(std::string_view line) {
    if (Scan(line).blanks().done() || line[0] == '#' || line.starts_with("ibwarn: ") || line.starts_with("src/")) return;
    for (const KindWord& it : kind_words)
      if (line.starts_with(it.word)) return read_head(line.substr(it.word.size()), it.kind);
    read_port(line);
  }

  // "0x7cfe9003009ce5b0 leaf1:" of a switch, "node7 mlx5_0:" of an adapter, whose GUIDs stand with its ports.
  void read_head(std::string_view text, FabricKind kind) {
    if (!text.ends_with(':')) expected("a colon behind the name of the node", text);
    text.remove_suffix(1);
    head_ = {kind, {}, line_};
    node_ = no_node;
    if (kind == FabricKind::fabric_switch) {
      Scan scan(text);
      const std::string_view guid = scan.word();
      if (guid_key(guid).empty()) expected("the GUID of the switch", guid);
      head_.description = scan.blanks().rest();
      node_ = describe(guid_key(guid));
    } else {
      head_.description = text;
    }
  }

  std::size_t describe(const std::string& key) {
    const std::size_t place = list_.node(key);
    FabricNode& node = list_.fabric.nodes[place];
    if (node.line != 0)
      list_.fail(head_.line, fmt::format("{} is here and on line {}: a GUID names one node only", key, node.line));
    node.kind = head_.kind;
    node.description = head_.description;
    node.line = head_.line;
    return place;
  }

  void read_port(std::string_view line) {
    const std::size_t begin = line.find(arrow_begin);
    const std::size_t end = line.find(arrow_end, begin == std::string_view::npos ? 0 : begin);
    if (begin == std::string_view::npos || end == std::string_view::npos)
      expected("a node, or a port with ==( ... )==> and its peer", line);
    Plug here = read_near(line.substr(0, begin));
    const std::size_t node = owner(here);
    const std::size_t place = list_.port(node, here.port, line_);
    FabricPort& port = list_.fabric.ports[place];
    if (!described_.insert(place).second)
      list_.fail(line_, fmt::format("port {} of {} is described twice", here.port, list_.fabric.nodes[node].key));
    if (here.external) port.attributes["external_port"] = *here.external;
    read_link(line.substr(begin + arrow_begin.size(), end - begin - arrow_begin.size()), port);
    lids_.try_emplace(here.lid, node);
    if (list_.fabric.nodes[node].kind == FabricKind::adapter) {
      if (here.lid != 0) port.attributes["lid"] = here.lid;
    } else if (here.lid != 0) {
      list_.fabric.nodes[node].attributes["lid"] = here.lid;
    }
    read_far(line.substr(end + arrow_end.size()), place);
  }

  // [GUID ["name"]] LID port[external]
  Plug read_near(std::string_view text) {
    Plug plug;
    Scan scan(text);
    if (scan.blanks().rest().starts_with("0x")) plug.guid = scan.word();
    if (scan.blanks().rest().starts_with('"')) {
      const std::string_view rest = scan.rest();
      const std::size_t close = rest.rfind('"');
      if (close == 0) expected("the name of the node in quotes", rest);
      plug.description = rest.substr(1, close - 1);
      while (plug.description.starts_with(' ')) plug.description.remove_prefix(1);
      scan = Scan(rest.substr(close + 1));
    }
    read_plug(scan, plug);
    if (!scan.blanks().done()) expected(arrow_begin, scan.rest());
    return plug;
  }

  void read_plug(Scan& scan, Plug& plug) {
    const auto lid = scan.blanks().number();
    if (!lid || *lid > 0xffff) expected("a LID", scan.rest());
    const auto port = scan.blanks().number();
    if (!port || *port == 0 || *port > most_ports) expected(fmt::format("a port, 1 to {}", most_ports), scan.rest());
    const auto external = scan.between('[', ']');
    if (!external) expected("[external port]", scan.rest());
    Scan digits(*external);
    if (const auto number = digits.blanks().number(); number && digits.blanks().done())
      plug.external = number;
    else if (!Scan(*external).blanks().done())
      expected("the number of an external port", *external);
    plug.lid = *lid;
    plug.port = static_cast<unsigned>(*port);
  }

  // The node of the line: that of the head above, or in the form of one line for each port that of its GUID.
  std::size_t owner(const Plug& here) {
    const std::string key = guid_key(here.guid);
    if (!here.guid.empty() && key.empty()) expected("a GUID", here.guid);
    if (!here.description.empty()) {
      if (key.empty()) expected("a GUID", here.description);
      named_by_lines_ = true;
      const std::size_t place = list_.node(key);
      FabricNode& node = list_.fabric.nodes[place];
      if (node.line == 0) {
        node.line = line_;
        node.description = here.description;
      }
      return place;
    }
    if (head_.line == 0) list_.fail(line_, "this port stands before any switch or adapter");
    if (node_ == no_node) {
      if (key.empty()) expected("the GUID of the port", here.guid);
      node_ = describe(key);
    }
    return node_;
  }

  // " 4X      25.78125 Gbps Active/  LinkUp", "                Down/ Polling", and behind it " (HOQ:..." of -p.
  void read_link(std::string_view text, FabricPort& port) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) expected("a state as Active/LinkUp", text);
    Scan physical(text.substr(slash + 1));
    std::string_view physical_word = physical.word();
    physical_word = physical_word.substr(0, physical_word.find(')'));
    std::string_view before = text.substr(0, slash);
    while (before.ends_with(' ')) before.remove_suffix(1);
    const std::size_t space = before.rfind(' ');
    const std::string_view word = space == std::string_view::npos ? before : before.substr(space + 1);
    const auto* const row =
        std::find_if(state_words.begin(), state_words.end(), [&](const StateWord& it) { return it.word == word; });
    if (row == state_words.end()) expected("Down, Initialize, Armed or Active", word);
    port.state = row->state == LinkState::down && physical_word == "Disabled" ? LinkState::disabled : row->state;
    if (row->state == LinkState::down) return;
    Scan rate(before.substr(0, space == std::string_view::npos ? 0 : space));
    const std::string_view width = rate.word();
    port.active = {infiniband_rate(std::string(width) + " ").width, speed_in(rate.blanks().rest())};
    if (port.active.width == 0 && width.find("undefined") == std::string_view::npos) expected("a width as 4X", width);
  }

  // [GUID] LID port[external] "name" ( Could be 4X Could be 14.0625 Gbps)
  void read_far(std::string_view text, std::size_t place) {
    Scan scan(text);
    if (scan.blanks().rest().starts_with('"') || scan.rest().starts_with('[')) return;  // nothing is plugged in
    Cable cable{place, {}, line_};
    if (scan.rest().starts_with("0x")) {
      cable.peer.guid = scan.word();
      if (guid_key(cable.peer.guid).empty()) expected("the GUID of the peer", cable.peer.guid);
    }
    read_plug(scan, cable.peer);
    const std::string_view rest = scan.blanks().rest();
    const std::size_t close = rest.rfind("\" (");
    if (!rest.starts_with('"') || close == std::string_view::npos || close == 0 || !rest.ends_with(')'))
      expected("the name of the peer in quotes, and ( )", rest);
    cable.peer.description = rest.substr(1, close - 1);
    FabricPort& port = list_.fabric.ports[place];
    port.capable = port.active;
    for (std::string_view could = rest.substr(close); !could.empty();) {
      constexpr std::string_view words = "Could be ";
      const std::size_t at = could.find(words);
      if (at == std::string_view::npos) break;
      could.remove_prefix(at + words.size());
      const std::string_view value = Scan(could).word();
      if (value.ends_with('X'))
        port.capable.width = infiniband_rate(std::string(value) + " ").width;
      else
        port.capable.speed = speed_in(could.substr(0, could.find(words)));
    }
    cables_.push_back(cable);
  }

  // One line for each port does not say which nodes are switches: those with several ports under one GUID.
  void tell_kinds() {
    std::unordered_map<std::string, unsigned> first;
    std::unordered_set<std::string> several;
    const auto seen = [&](const std::string& key, unsigned port) {
      if (const auto [at, fresh] = first.try_emplace(key, port); !fresh && at->second != port) several.insert(key);
    };
    for (const FabricPort& port : list_.fabric.ports) seen(list_.fabric.nodes[port.node].key, port.number);
    for (const Cable& cable : cables_) seen(guid_key(cable.peer.guid), cable.peer.port);
    for (FabricNode& node : list_.fabric.nodes)
      if (several.contains(node.key)) node.kind = FabricKind::fabric_switch;
    for (FabricPort& port : list_.fabric.ports) {
      FabricNode& node = list_.fabric.nodes[port.node];
      if (node.kind == FabricKind::adapter || !port.attributes.contains("lid")) continue;
      node.attributes["lid"] = number_of(port.attributes, "lid");
      port.attributes.erase("lid");
    }
    several_ = std::move(several);
  }

  void join(const Cable& cable) {
    const std::size_t node = peer_node(cable);
    if (node == list_.fabric.ports[cable.port].node && cable.peer.port == list_.fabric.ports[cable.port].number) {
      list_.fabric.ports[cable.port].state = LinkState::unknown;  // a plug that leads back
      return;
    }
    list_.join(cable.port, list_.port(node, cable.peer.port, cable.line), cable.line);
  }

  std::size_t peer_node(const Cable& cable) {
    const Plug& peer = cable.peer;
    const std::size_t known = list_.fabric.nodes.size();
    std::size_t place = no_node;
    if (const std::string key = guid_key(peer.guid); !key.empty())
      place = list_.node(key);
    else if (const auto by_lid = lids_.find(peer.lid); peer.lid != 0 && by_lid != lids_.end())
      place = by_lid->second;
    else if (peer.lid != 0)
      place = list_.node(fmt::format("lid:{}", peer.lid));
    else
      place = by_description(cable);
    if (place < known) return place;
    FabricNode& node = list_.fabric.nodes[place];  // that only its peers name
    node.description = peer.description;
    node.line = cable.line;
    if (several_.contains(node.key) || peer.description.starts_with("MF0;")) node.kind = FabricKind::fabric_switch;
    return place;
  }

  // Where no subnet manager has been, all LIDs are 0.
  std::size_t by_description(const Cable& cable) {
    if (names_.empty())
      for (std::size_t i = 0; i < list_.fabric.nodes.size(); ++i)
        if (const auto [at, fresh] = names_.try_emplace(list_.fabric.nodes[i].description, i); !fresh) at->second = no_node;
    const auto found = names_.find(std::string(cable.peer.description));
    if (found == names_.end() || found->second == no_node)
      list_.fail(cable.line, fmt::format("expected one node of the name '{}': without LIDs a peer is known by its name alone; "
                                         "`iblinkinfo -l` tells its GUID",
                                         cable.peer.description.substr(0, 60)));
    return found->second;
  }

  struct Head {
    FabricKind kind = FabricKind::adapter;
    std::string_view description;
    std::size_t line = 0;
  };

  FabricList list_;
  std::size_t line_ = 0;
  Head head_;
  std::size_t node_ = no_node;   // whose ports are read
  bool named_by_lines_ = false;  // the form of -l
  std::vector<Cable> cables_;
  std::unordered_set<std::size_t> described_;
  std::unordered_set<std::string> several_;
  std::unordered_map<std::uint64_t, std::size_t> lids_;
  std::unordered_map<std::string, std::size_t> names_;  // by description; no_node for one of several
};

}  // namespace

bool is_iblinkinfo(std::string_view text) {
  for (Lines lines(text.substr(0, 64U << 10U)); lines.next();) {
    const std::string_view line = lines.line();
    const std::size_t begin = line.find(arrow_begin);
    if (begin != std::string_view::npos && line.find(arrow_end, begin) != std::string_view::npos) return true;
  }
  return false;
}

Graph read_iblinkinfo(const Reading& reading) {
  Graph graph = to_graph(Report(reading).take());
  note_open_line(graph, reading);
  return graph;
}

}  // namespace railgauge::topo

// Reads the topology file of ibnetdiscover and the netlists of ibsim, line by line.
#include "topo/read/netlist.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "topo/infiniband.hpp"
#include "topo/notes.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/fabric.hpp"
#include "topo/read/netlist_words.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

using namespace netlist;

constexpr std::size_t longest_excerpt = 60;

// Masks of what a port may use, as PortInfo has them; the defaults are ibsim's.
struct Enabled {
  unsigned width = 2, speed = 1, extended = 0;
  [[nodiscard]] bool meets(const Enabled& other) const { return (width & other.width) != 0 && (speed & other.speed) != 0; }
};

// The key in ibnetdiscover's names of nodes, "S-0002c90200423e70"; empty for other names.
std::string key_of_id(std::string_view id) {
  if (id.size() != 18 || id[1] != '-' || (id[0] != 'S' && id[0] != 'H' && id[0] != 'R')) return {};
  return guid_key(id.substr(2));
}

FabricKind kind_of_id(std::string_view id) {
  return id[0] == 'S' ? FabricKind::fabric_switch : id[0] == 'R' ? FabricKind::router : FabricKind::adapter;
}

class Netlist {
 public:
  explicit Netlist(const Reading& reading) : reading_(reading), rates_(reading.source == "ibnetdiscover") {
    fabric_.source = reading.source;
    fabric_.origin = reading.origin;
    const std::size_t open = is_unterminated(reading.text) ? last_line_of(reading.text) : 0;
    for (Lines lines(reading.text); lines.next();) {
      line_ = lines.number();
      open_ = line_ == open;
      read(lines.line());
    }
    if (!pending_.empty() || told_guid_)
      refuse(line_, "the file ends before the switch or adapter that the lines before this end begin: it was cut");
    if (fabric_.nodes.empty()) refuse(line_, "this is a fabric without any switch or adapter");
  }

  // Behind which nothing can be missing that is read.
  [[nodiscard]] bool ends_with_a_rate() const {
    return rates_ && !peers_.empty() && peers_.back().told && fabric_.ports.back().line == line_;
  }

  Fabric take() {
    fabric_.both_ends = rates_ && check_rates();
    add_unlisted();
    settle_rates();
    return std::move(fabric_);
  }

 private:
  // A port's peer by its name; the place is known when all lines are read.
  struct Peer {
    std::string_view id, description;
    unsigned lid = 0;
    bool told = false;    // the active rate stands in the line
    bool chosen = false;  // ibsim's options do
    Enabled enabled;
  };

  [[noreturn]] void refuse(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", fabric_.origin, line, what));
  }
  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    refuse(line_, found.empty() ? fmt::format("expected {}, but the line ends", what)
                                : fmt::format("expected {}, found '{}'", what, found.substr(0, longest_excerpt)));
  }

  void read(std::string_view line) {
    if (Scan(line).blanks().done()) return;
    if (line[0] == '[') return read_port(line);
    if (line[0] == '#' || is_heading(line) || is_warning(line)) return;
    for (const NodeWord& word : node_words()) {
      Scan scan(line);
      if (scan.take(word.word) && !scan.done() && Scan::is_blank(scan.rest()[0])) return read_node(scan, word.kind);
    }
    if (const std::size_t at = line.find_first_of("=+"); at != std::string_view::npos && line.find('"') > at)
      return read_setting(line.substr(0, at), line[at] == '+', line.substr(at + 1));
    refuse_keyword(line);
    expected("a switch, an adapter, a port or a setting", line);
  }

  void refuse_keyword(std::string_view line) const {
    if (line[0] == '@') refuse(line_, "ibsim's aliases of ports (@) are not followed; write the node's name and port instead");
    const std::string_view word = Scan(line).word();
    if (word == "include") refuse(line_, "ibsim's `include` names another file, and one file is read; put its lines here");
    if (word == "do") refuse(line_, "ibsim's `do` runs commands of its console, which only ibsim can do; take the line out");
    if (word.starts_with("module"))
      refuse(line_,
             "ibsim's `module` puts names of nodes below a prefix, which is not followed; load the file in ibsim and give what "
             "ibnetdiscover prints");
  }

  // Decimal, or hexadecimal with "0x".
  std::uint64_t value(std::string_view name, std::string_view text) const {
    Scan scan(text);
    scan.blanks();
    const bool hexadecimal = scan.take("0x") || scan.take("0X");
    const auto number = scan.number(hexadecimal ? 16 : 10);
    if (!number) expected(fmt::format("a number after {}", name), text);
    return *number;
  }

  void read_setting(std::string_view name, bool relative, std::string_view text) {
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == "vendid" || name == "devid") {
      pending_[name == "vendid" ? "vendor_id" : "device_id"] = fmt::format("{:#x}", value(name, text));
    } else if (name == "sysimgguid") {
      pending_["system_guid"] = fmt::format("{:#018x}", value(name, text));
      read_chassis(text);
    } else if (name == "switchguid" || name == "caguid" || name == "hcaguids" || name == "rtguid") {
      std::uint64_t& next = name == "switchguid" ? next_switch_ : next_adapter_;
      next = (relative ? next : 0) + value(name, text);
      told_guid_ = true;
    } else if (name == "width") {
      defaults_.width = static_cast<unsigned>(value(name, text));
    } else if (name == "speed") {
      defaults_.speed = static_cast<unsigned>(value(name, text));
    } else if (name == "extspeed") {
      defaults_.extended = static_cast<unsigned>(value(name, text));
    } else if (name == "module") {
      refuse_keyword("module");
    } else if (name != "pdebug") {
      expected("a setting (vendid, devid, sysimgguid, switchguid, caguid, width, speed)", name);
    }
  }

  // "# Chassis 1 (name) slot 3"
  void read_chassis(std::string_view text) {
    for (const auto& [word, name] : {std::pair{"Chassis ", "chassis"}, std::pair{"slot ", "slot"}}) {
      const std::size_t at = text.find(word);
      if (at == std::string_view::npos) continue;
      Scan scan(text.substr(at + std::string_view(word).size()));
      if (const auto number = scan.number()) pending_[name] = *number;
    }
  }

  void read_node(Scan scan, FabricKind kind) {
    const auto ports = scan.blanks().number();
    if (!ports || *ports == 0 || *ports > 255) expected("the number of ports, 1 to 255", scan.rest());
    const auto id = scan.blanks().between('"', '"');
    if (!id || id->empty()) expected("the node's name in quotes", scan.rest());
    FabricNode node;
    node.kind = kind;
    node.ports = static_cast<unsigned>(*ports);
    node.line = line_;
    node.attributes = std::exchange(pending_, {});
    if (open_ && rates_) check_header(scan.rest(), kind);
    node.description = read_header_comment(scan.rest(), node);
    node.key = key_of_id(*id);
    std::uint64_t& next = kind == FabricKind::fabric_switch ? next_switch_ : next_adapter_;
    if (told_guid_ || node.key.empty()) {
      if (next == 0) refuse(line_, "a GUID of zero names no node");
      node.key = fmt::format("{:#018x}", next);
      if (node.description.empty()) node.description = *id;
    }
    told_guid_ = false;
    next += kind == FabricKind::fabric_switch ? 1 : *ports + 1;
    node_ = fabric_.nodes.size();
    if (const auto [other, fresh] = places_.try_emplace(*id, node_); !fresh)
      refuse(line_, fmt::format("\"{}\" is here and on line {}: a name is one node's only", id->substr(0, longest_excerpt),
                                fabric_.nodes[other->second].line));
    node_defaults_ = defaults_;
    fabric_.nodes.push_back(std::move(node));
  }

  // A header that ends the file, without a newline, is whole where all is there that ibnetdiscover puts behind the name.
  void check_header(std::string_view comment, FabricKind kind) const {
    const std::size_t lmc = comment.rfind(" lmc ");
    const bool whole = kind == FabricKind::fabric_switch
                           ? lmc != std::string_view::npos && lmc + 5 < comment.size()
                           : comment.size() > 3 && comment.back() == '"' && comment.find('"') + 1 < comment.size();
    if (!whole) refuse_cut(reading_, kind == FabricKind::fabric_switch ? "`lid` and `lmc`" : "the description in quotes");
  }

  // `# "leaf7" enhanced port 0 lid 73 lmc 0`, with or without the quotes.
  static std::string read_header_comment(std::string_view text, FabricNode& node) {
    const std::size_t hash = text.find('#');
    if (hash == std::string_view::npos) return {};
    Scan scan(text.substr(hash + 1));
    std::string_view description;
    if (const auto quoted = scan.blanks().between('"', '"')) {
      description = *quoted;
    } else {
      description = scan.rest();
      for (const std::string_view end : {" enhanced port ", " base port ", " lid "})
        description = description.substr(0, description.find(end));
    }
    if (const std::size_t lid = scan.rest().find("lid "); lid != std::string_view::npos)
      if (const auto number = Scan(scan.rest().substr(lid + 4)).number(); number && *number != 0)
        node.attributes["lid"] = *number;
    while (description.ends_with(' ')) description.remove_suffix(1);
    return std::string(description);
  }

  void read_port(std::string_view line) {
    if (node_ == no_node) refuse(line_, "this port stands before any switch or adapter");
    Scan scan(line);
    FabricPort port;
    Peer peer;
    port.node = node_;
    port.line = line_;
    const auto number = scan.bracketed();
    if (!number) expected("[port]", scan.rest());
    port.number = *number;
    if (scan.take("[ext ")) {
      const auto external = scan.blanks().number();
      if (!external || !scan.blanks().take("]")) expected("[ext port]", scan.rest());
      port.attributes["external_port"] = *external;
    }
    read_port_guid(scan, port.attributes);
    const auto id = scan.blanks().between('"', '"');
    if (!id) expected("the peer's name in quotes", scan.rest());
    peer.id = *id;
    port.peer_number = 1;
    if (open_ && scan.done()) refuse_cut(reading_, "[port] of the peer");
    if (scan.rest().starts_with('[')) {
      const auto remote = scan.bracketed();
      if (!remote) expected("[port] of the peer", scan.rest());
      port.peer_number = *remote;
    }
    Attributes remote;
    read_port_guid(scan, remote);
    peer.enabled = node_defaults_;
    read_rest(scan.rest(), port, peer);
    fabric_.ports.push_back(std::move(port));
    peers_.push_back(peer);
  }

  void read_port_guid(Scan& scan, Attributes& attributes) const {
    if (!scan.rest().starts_with('(')) return;
    const auto inside = scan.between('(', ')');
    if (!inside) expected("a GUID between ( and )", scan.rest());
    if (std::string guid = guid_key(*inside); !guid.empty()) attributes["port_guid"] = std::move(guid);
  }

  // `w=2 s=7` of ibsim, `# "description" lid 647 4xNDR` of a switch's port, `# lid 2 lmc 0 "description" lid 73 4xNDR` of an
  // adapter's, and ` s=8 w=2 v=4 e=8` of -f, which say the rate once more.
  void read_rest(std::string_view text, FabricPort& port, Peer& peer) const {
    const std::size_t hash = text.find('#');
    for (Scan options(text.substr(0, hash)); !options.blanks().done();) read_option(options.word(), peer);
    if (hash == std::string_view::npos) return;
    const std::string_view comment = text.substr(hash + 1);
    const std::size_t quote = comment.find('"');
    const std::size_t close = quote == std::string_view::npos ? quote : comment.find('"', quote + 1);
    std::string_view before = comment.substr(0, quote);
    std::string_view after = close == std::string_view::npos ? std::string_view() : comment.substr(close + 1);
    if (rates_ && quote != std::string_view::npos && close == std::string_view::npos)
      expected("the end of the description in quotes", comment.substr(quote));
    if (rates_ && quote == std::string_view::npos) std::swap(before, after);
    if (close != std::string_view::npos) peer.description = comment.substr(quote + 1, close - quote - 1);
    if (const unsigned lid = lid_of(before); lid != 0) port.attributes["lid"] = std::uint64_t{lid};
    peer.lid = lid_of(after);
    for (Scan words(after); !words.blanks().done();) {
      const std::string_view word = words.word();
      if (!is_rate(word)) continue;
      port.active = infiniband_rate(word);
      peer.told = true;
      const bool known = (port.active.width != 0 || word[0] == '?') && (port.active.speed > 0 || word.ends_with("???"));
      if (rates_ && !known) expected("a rate as 4xNDR, or 4x??? of a port that does not tell it", word);
      if (rates_ && open_ && words.done() && word.ends_with("FDR"))
        refuse_cut(reading_, "a newline to tell FDR from the beginning of FDR10");
    }
    if (rates_ && !peer.told) expected("the link's rate, as 4xNDR, at the end of this line", std::string_view());
  }

  // "4xNDR", "??SDR".
  static bool is_rate(std::string_view word) {
    const std::size_t x = word.find('x');
    return word.starts_with("??") || (x != std::string_view::npos && x != 0 && word[0] >= '0' && word[0] <= '9');
  }

  // Whether ibnetdiscover wrote this, which tells the rate at both ends of each cable. A netlist for ibsim may look like it, and
  // tells none.
  bool check_rates() const {
    bool told = false;
    for (const Peer& peer : peers_) told = told || peer.told;
    if (peers_.empty()) return true;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      const Peer& peer = peers_[i];
      const bool cut = is_unterminated(reading_.text) && i + 1 == peers_.size() && fabric_.ports[i].line == line_;
      if (!peer.told && !peer.chosen && (told || cut))
        refuse(fabric_.ports[i].line, "expected the link's rate, as 4xNDR, at the end of this line, which ends before it");
    }
    return told;
  }

  static unsigned lid_of(std::string_view text) {
    for (Scan words(text); !words.blanks().done();)
      if (words.word() == "lid") {
        const auto number = words.blanks().number();
        return number && *number <= 0xffff ? static_cast<unsigned>(*number) : 0;
      }
    return 0;
  }

  void read_option(std::string_view word, Peer& peer) const {
    if (word.size() < 3 || word[1] != '=') return;  // ibsim takes anything else for a comment
    unsigned* mask = word[0] == 'w' ? &peer.enabled.width : word[0] == 's' ? &peer.enabled.speed : &peer.enabled.extended;
    if (word[0] != 'w' && word[0] != 's' && word[0] != 'e') expected("w=, s= or e=", word);
    const std::uint64_t number = value(word.substr(0, 1), word.substr(2));
    if (number > 31) expected(fmt::format("a mask up to 31 after {}=", word[0]), word.substr(2));
    *mask = static_cast<unsigned>(number);
    peer.chosen = true;
  }

  // Peers that have no record: what a file that was cut off, or a node that did not answer, leaves behind.
  void add_unlisted() {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      const Peer& peer = peers_[i];
      FabricPort& port = fabric_.ports[i];
      auto [place, fresh] = places_.try_emplace(peer.id, fabric_.nodes.size());
      if (fresh) {
        FabricNode node;
        node.key = key_of_id(peer.id);
        if (node.key.empty())
          refuse(port.line, fmt::format("there is no node \"{}\" in this file", peer.id.substr(0, longest_excerpt)));
        node.kind = kind_of_id(peer.id);
        node.description = peer.description;
        node.line = port.line;
        if (node.kind == FabricKind::fabric_switch && peer.lid != 0) node.attributes["lid"] = std::uint64_t{peer.lid};
        fabric_.nodes.push_back(std::move(node));
      }
      port.peer = place->second;
    }
  }

  // Where the file does not tell what is active, it is the best that both ends may use.
  void settle_rates() {
    std::unordered_map<std::uint64_t, std::size_t> ports;
    const auto name = [](std::size_t node, unsigned number) { return (std::uint64_t{node} << 16U) | number; };
    for (std::size_t i = 0; i < peers_.size(); ++i)
      if (!peers_[i].told) ports.emplace(name(fabric_.ports[i].node, fabric_.ports[i].number), i);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      FabricPort& port = fabric_.ports[i];
      if (peers_[i].told) continue;
      Enabled both = peers_[i].enabled;
      if (const auto peer = ports.find(name(port.peer, port.peer_number)); peer != ports.end()) {
        const Enabled& other = peers_[peer->second].enabled;
        if (!both.meets(other))
          refuse(port.line,
                 fmt::format("this port and its peer on line {} may use no width or speed in common; ibsim wants the same "
                             "w= and s= at both ends",
                             fabric_.ports[peer->second].line));
        both = {both.width & other.width, both.speed & other.speed, both.extended & other.extended};
      }
      port.active = infiniband_rate(both.width, both.speed, both.extended);
    }
  }

  const Reading& reading_;
  Fabric fabric_;
  std::size_t line_ = 0;
  bool open_ = false;                                               // the line ends the file, without a newline
  bool rates_;                                                      // of ibnetdiscover, whose lines end with a rate
  std::size_t node_ = no_node;                                      // whose ports are read
  Attributes pending_;                                              // of the node that comes next
  bool told_guid_ = false;                                          // its GUID too
  std::uint64_t next_adapter_ = 0x100000, next_switch_ = 0x200000;  // what ibsim gives to nodes without one
  Enabled defaults_, node_defaults_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<Peer> peers_;  // of the ports, at the same places
};

}  // namespace

Graph read_netlist(const Reading& reading) {
  Netlist netlist(reading);
  const bool rate = netlist.ends_with_a_rate();
  Graph graph = to_graph(netlist.take());
  if (!rate) note_open_line(graph, reading);
  return graph;
}

}  // namespace railgauge::topo

// The version, the subnet, the folder of hwloc's files, the number of nodes, a line for each node, and one for the links of each.
#include "topo/read/netloc.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "topo/infiniband.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/fabric_list.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::uint64_t version_read = 1;
constexpr std::size_t most_netloc_nodes = 1U << 20U;

// "f452:1403:001b:7971"
bool is_identifier(std::string_view text) { return text.size() == 19 && text[4] == ':' && !guid_key(text).empty(); }

std::optional<std::uint64_t> whole(std::string_view text) {
  Scan scan(text);
  const auto number = scan.number();
  return number && scan.done() ? number : std::nullopt;
}

// Fields between commas. A text in single quotes may hold commas.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  [[nodiscard]] bool done() const { return ended_; }

  std::string_view next() {
    const std::size_t end = rest_.find(',');
    return cut(end);
  }
  std::string_view quoted() {
    if (!rest_.starts_with('\'')) return next();
    std::size_t end = rest_.find(',');
    while (end != std::string_view::npos && !closes(rest_.substr(0, end))) end = rest_.find(',', end + 1);
    return cut(end);
  }

 private:
  static bool closes(std::string_view text) {
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text.size() > 1 && text.ends_with('\'');
  }
  std::string_view cut(std::size_t end) {
    const std::string_view field = rest_.substr(0, end);
    ended_ = end == std::string_view::npos;
    rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
    return field;
  }

  std::string_view rest_;
  bool ended_ = false;
};

std::string_view without_quotes(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.size() > 1 && text.starts_with('\'') && text.ends_with('\'')) text = text.substr(1, text.size() - 2);
  return text;
}

class Netloc {
 public:
  explicit Netloc(const Reading& reading) : list_(reading), lines_(reading.text) {
    const std::string_view version = line("the version of the format");
    if (whole(version) != version_read) expected("version 1 of netloc's format", version);
    line("the subnet");
    line("the folder of hwloc's files");
    const std::string_view text = line("the number of nodes");
    const auto count = whole(text);
    if (!count || *count == 0 || *count > most_netloc_nodes)
      expected(fmt::format("a number of nodes, 1 to {}", most_netloc_nodes), text);
    for (std::uint64_t i = 0; i < *count; ++i) read_node(line("a node"));
    for (std::uint64_t i = 0; i < *count; ++i) read_links(line("the links of a node"));
    for (FabricPort& port : list_.fabric.ports)
      if (lids_[port.node] != 0 && list_.fabric.nodes[port.node].kind == FabricKind::adapter)
        port.attributes["lid"] = lids_[port.node];
  }
  Fabric take() { return std::move(list_.fabric); }

 private:
  [[noreturn]] void expected(std::string_view what, std::string_view found) const {
    list_.fail(std::max<std::size_t>(lines_.number(), 1),
               found.empty() ? fmt::format("expected {}, found nothing", what)
                             : fmt::format("expected {}, found '{}'", what, found.substr(0, 60)));
  }

  std::string_view line(std::string_view what) {
    if (!lines_.next()) expected(what, "the end of the file");
    return lines_.line();
  }

  // physical,logical,type,partitions,'description',host
  void read_node(std::string_view text) {
    Fields fields(text);
    const std::string_view identifier = fields.next();
    if (!is_identifier(identifier)) expected("a GUID as 0002:c902:0049:3108", identifier);
    const std::size_t place = list_.node(guid_key(identifier));
    FabricNode& node = list_.fabric.nodes[place];
    if (node.line != 0)
      list_.fail(lines_.number(), fmt::format("{} is here and on line {}: a GUID names one node only", node.key, node.line));
    node.line = lines_.number();
    const std::string_view logical = fields.next();
    const auto lid = whole(logical);
    if ((!lid || *lid > 0xffff) && logical != "-1") expected("a LID", logical);
    const std::string_view type = fields.next();
    if (type != "0" && type != "1") expected("0 (host) or 1 (switch)", type);
    node.kind = type == "0" ? FabricKind::adapter : FabricKind::fabric_switch;
    fields.next();  // partitions
    if (fields.done()) expected("the description and the host of a node", "the end of the line");
    node.description = without_quotes(fields.quoted());
    if (fields.done()) expected("the host of a node", "the end of the line");
    const std::string_view host = fields.next();
    if (!fields.done()) expected("the end of the line behind the host", text);
    if (node.kind == FabricKind::adapter && !host.empty() && read_description(node.description).host.empty() &&
        host.find('/') == std::string_view::npos) {
      node.host = host;
      node.device = node.key;
    }
    lids_.push_back(lid.value_or(0));
    if (node.kind == FabricKind::fabric_switch && lid.value_or(0) != 0) node.attributes["lid"] = *lid;
  }

  // physical, and of each neighbour its GUID, gigabits, partitions, the number of links, and the links
  void read_links(std::string_view text) {
    Fields fields(text);
    const std::size_t node = known(fields.next());
    while (!fields.done()) {
      const std::size_t peer = known(fields.next());
      fields.next();  // gigabits of all links
      fields.next();  // partitions
      const std::string_view told = fields.next();
      const auto count = whole(told);
      if (!count || *count > most_ports) expected(fmt::format("a number of links up to {}", most_ports), told);
      for (std::uint64_t i = 0; i < *count; ++i) read_link(fields, node, peer);
    }
  }

  std::size_t known(std::string_view identifier) {
    if (!is_identifier(identifier)) expected("the GUID of a node", identifier);
    const std::size_t nodes = list_.fabric.nodes.size();
    const std::size_t place = list_.node(guid_key(identifier));
    if (place == nodes) expected("a node that has a line of its own", identifier);
    return place;
  }

  // number,port,port of the peer,4x,QDR,gigabits,'a' - 'b',number of the other direction,partitions
  void read_link(Fields& fields, std::size_t node, std::size_t peer) {
    const auto need = [&](const char* what) {
      if (fields.done()) expected(what, "the end of the line");
    };
    need("the number of a link");
    fields.next();
    const auto port_in = [&]() {
      need("a port");
      const std::string_view text = fields.next();
      const auto number = whole(text);
      if (!number || *number == 0 || *number > most_ports) expected(fmt::format("a port, 1 to {}", most_ports), text);
      return static_cast<unsigned>(*number);
    };
    const unsigned here = port_in();
    const unsigned there = port_in();
    need("a width as 4x");
    const std::string width(fields.next());
    need("a speed as QDR");
    const std::string_view speed = fields.next();
    const Rate rate = infiniband_rate(width + std::string(speed));
    if (rate.width == 0 && width.find('?') == std::string::npos) expected("a width as 4x", width);
    need("the gigabits of a link");
    fields.next();
    need("the description of a link");
    fields.quoted();
    need("the number of the other direction");
    fields.next();
    need("the partitions of a link");
    fields.next();
    const std::size_t port = list_.port(node, here, lines_.number());
    list_.fabric.ports[port].active = rate;
    list_.join(port, list_.port(peer, there, lines_.number()), lines_.number());
  }

  FabricList list_;
  Lines lines_;
  std::vector<std::uint64_t> lids_;  // of nodes, in their order
};

}  // namespace

bool is_netloc(std::string_view text) {
  Lines lines(text.substr(0, 64U << 10U));
  std::string_view first[5];
  for (std::string_view& line : first) {
    if (!lines.next()) return false;
    line = lines.line();
  }
  return whole(first[0]).has_value() && whole(first[3]).has_value() && is_identifier(first[4].substr(0, first[4].find(',')));
}

Graph read_netloc(const Reading& reading) {
  Graph graph = to_graph(Netloc(reading).take());
  note_open_line(graph, reading);
  return graph;
}

}  // namespace railgauge::topo

// Writes a graph as GraphML (http://graphml.graphdrawing.org), flat: Gephi and yEd read it. What a node stands in is data.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "base/output/markup.hpp"
#include "topo/write/formats.hpp"

namespace railgauge::topo {
namespace {

struct Column {
  std::string_view id, of, type;
};
constexpr auto columns = std::to_array<Column>({
    {"kind", "node", "string"},
    {"name", "node", "string"},
    {"parent", "node", "string"},
    {"attributes", "node", "string"},
    {"provenance", "all", "string"},
    {"link", "edge", "string"},
    {"count", "edge", "int"},
    {"line", "edge", "double"},
    {"nominal", "edge", "double"},
    {"usable", "edge", "double"},
    {"active_width", "edge", "int"},
    {"active_speed", "edge", "double"},
    {"capable_width", "edge", "int"},
    {"capable_speed", "edge", "double"},
    {"state", "edge", "string"},
    {"a_port", "edge", "int"},
    {"b_port", "edge", "int"},
});

std::string data(std::string_view id, std::string_view text) {
  return text.empty() ? std::string() : fmt::format("<data key=\"{}\">{}</data>", id, escaped(text));
}
std::string data(std::string_view id, double value) {
  return value > 0 ? fmt::format("<data key=\"{}\">{}</data>", id, value) : std::string();
}
std::string data(std::string_view id, unsigned value) {
  return value != 0 ? fmt::format("<data key=\"{}\">{}</data>", id, value) : std::string();
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& it : list) text += (text.empty() ? "" : ",") + it;
  return text;
}

// One "name=value" a line.
struct Line {
  std::string operator()(std::uint64_t number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const std::vector<std::string>& list) const { return joined(list); }
};
std::string lines(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes)
    text += fmt::format("{}{}={}", text.empty() ? "" : "\n", name, std::visit(Line{}, value));
  return text;
}

}  // namespace

std::string to_graphml(const Graph& graph) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  for (const Column& it : columns)
    out += fmt::format("<key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n", it.id, it.of, it.type);
  out += "<graph id=\"topology\" edgedefault=\"undirected\">\n";
  for (const Node& node : graph.nodes) {
    out += fmt::format(R"(<node id="{}">)", escaped(node.key));
    out += data("kind", row(node.kind).name) + data("name", node.name) + data("parent", node.parent);
    out += data("attributes", lines(node.attributes)) + data("provenance", joined(node.provenance)) + "</node>\n";
  }
  for (const Link& link : graph.links) {
    out += fmt::format(R"(<edge source="{}" target="{}">)", escaped(link.a), escaped(link.b));
    out += data("link", row(link.kind).name) + data("count", link.count) + data("line", link.bandwidth.line);
    out += data("nominal", link.bandwidth.nominal) + data("usable", link.bandwidth.usable);
    out += data("active_width", link.active.width) + data("active_speed", link.active.speed);
    out += data("capable_width", link.capable.width) + data("capable_speed", link.capable.speed);
    if (link.state != LinkState::unknown) out += data("state", row(link.state).name);
    out += data("a_port", link.a_port) + data("b_port", link.b_port) + data("provenance", joined(link.provenance)) + "</edge>\n";
  }
  return out + "</graph>\n</graphml>\n";
}

}  // namespace railgauge::topo

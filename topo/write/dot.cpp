// Writes a graph in Graphviz's language: all nodes, clusters for what holds others, all links with their numbers.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/output/markup.hpp"
#include "topo/words.hpp"
#include "topo/write/formats.hpp"

namespace railgauge::topo {
namespace {

constexpr int deepest = 100;  // clusters in clusters; Graphviz recurses too

// In quotes; a backslash would begin one of Graphviz's own escapes. Letters that are no UTF-8 become U+FFFD.
std::string dot_string(std::string_view text) {
  const std::string clean = well_formed(text);
  std::string out = "\"";
  for (const char c : clean) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string_view shape_of(Kind kind) {
  switch (kind) {
    case Kind::gpu:
    case Kind::accelerator:
      return "box3d";
    case Kind::nvswitch:
    case Kind::fabric_switch:
    case Kind::pci_switch:
      return "hexagon";
    case Kind::port:
      return "circle";
    case Kind::storage:
      return "cylinder";
    default:
      return "box";
  }
}

std::string_view style_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::internal:
    case LinkKind::tree:
      return "dotted";
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::c2c:
      return "bold";
    case LinkKind::ethernet:
    case LinkKind::cpu:
    case LinkKind::distance:
      return "dashed";
    default:
      return "solid";
  }
}

class Dot {
 public:
  explicit Dot(const Graph& graph) : graph_(graph), children_(graph.nodes.size()) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const auto parent = places.find(graph.nodes[i].parent);
      if (graph.nodes[i].parent.empty() || parent == places.end())
        roots_.push_back(i);
      else
        children_[parent->second].push_back(i);
      places.try_emplace(graph.nodes[i].key, i);
    }
  }

  std::string write() {
    // newrank: with links between nodes of nested clusters Graphviz's older ranking fails ("trouble in init_rank").
    out_ = "graph topology {\n  graph [compound=true, newrank=true, fontname=\"Helvetica\"];\n  node [fontname=\"Helvetica\"];\n";
    for (const std::size_t root : roots_) node(root, 1);
    for (const Link& link : graph_.links) edge(link);
    return out_ + "}\n";
  }

 private:
  static bool holds(Kind kind) {
    return kind == Kind::machine || kind == Kind::package || kind == Kind::numa || kind == Kind::rack || kind == Kind::rail;
  }

  void node(std::size_t place, int depth) {
    const Node& it = graph_.nodes[place];
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    const bool cluster = holds(it.kind) && !children_[place].empty() && depth < deepest;
    if (cluster) out_ += fmt::format("{0}subgraph \"cluster_{1}\" {{\n{0}  label={2};\n", indent, place, dot_string(it.name));
    out_ += fmt::format("{}{} [label={}, shape={}, class={}];\n", cluster ? indent + "  " : indent, dot_string(it.key),
                        dot_string(it.name == it.key ? it.name : it.name + "\n" + it.key), shape_of(it.kind),
                        dot_string(row(it.kind).name));
    for (const std::size_t child : children_[place]) node(child, cluster ? depth + 1 : depth);
    if (cluster) out_ += indent + "}\n";
  }

  void edge(const Link& link) {
    std::string label(row(link.kind).word);
    if (link.count > 1) label += fmt::format(" x{}", link.count);
    if (link.active.width != 0) label += fmt::format(" x{}", link.active.width);
    if (link.active.speed > 0) label += fmt::format(" {:.4g}", link.active.speed);
    if (link.bandwidth.nominal > 0) label += fmt::format("\n{} GB/s", gigabytes(link.bandwidth.nominal));
    out_ += fmt::format("  {} -- {} [label={}, style={}, class={}", dot_string(link.a), dot_string(link.b), dot_string(label),
                        style_of(link.kind), dot_string(row(link.kind).name));
    if (link.a_port != 0) out_ += fmt::format(", taillabel=\"{}\"", link.a_port);
    if (link.b_port != 0) out_ += fmt::format(", headlabel=\"{}\"", link.b_port);
    out_ += "];\n";
  }

  const Graph& graph_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
  std::string out_;
};

}  // namespace

std::string to_dot(const Graph& graph) { return Dot(graph).write(); }

}  // namespace railgauge::topo

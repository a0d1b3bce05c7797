// Draws the links of one kind as a matrix of numbers, or as one line when all are equal.
#include "topo/draw/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t widest = 32;  // nodes; a wider matrix does not fit a terminal

class NodeMatrix {
 public:
  // Nodes stand in the order of the graph.
  NodeMatrix(const Graph& graph, LinkKind kind) {
    std::map<std::string_view, std::size_t> number;
    for (const Link& link : graph.links)
      if (link.kind == kind) number[link.a] = number[link.b] = 0;
    for (const Node& node : graph.nodes)
      if (const auto at = number.find(node.key); at != number.end()) {
        at->second = nodes.size();
        nodes.push_back(&node);
      }
    for (const Link& link : graph.links) {
      if (link.kind != kind) continue;
      const std::size_t a = number[link.a];
      const std::size_t b = number[link.b];
      const bool distance = kind == LinkKind::distance;
      unknown = unknown || (!distance && link.bandwidth.nominal <= 0);
      cells[{a, b}] = distance ? fmt::format("{}", number_of(link.attributes, "a_to_b")) : bandwidth(link);
      cells[{b, a}] = distance ? fmt::format("{}", number_of(link.attributes, "b_to_a")) : bandwidth(link);
    }
  }

  [[nodiscard]] std::size_t size() const { return nodes.size(); }

  // The one value of all cells, when every pair has it.
  [[nodiscard]] std::optional<std::string> uniform() const {
    if (cells.size() != size() * (size() - 1)) return {};
    const std::string& first = cells.begin()->second;
    const bool equal = std::all_of(cells.begin(), cells.end(), [&](const auto& cell) { return cell.second == first; });
    return equal ? std::optional(first) : std::nullopt;
  }

  [[nodiscard]] std::string table(const std::vector<std::string>& rows, const std::vector<std::string>& columns) const {
    std::size_t head = 0;
    std::size_t width = 1;
    for (const std::string& row : rows) head = std::max(head, row.size());
    for (const std::string& column : columns) width = std::max(width, column.size());
    for (const auto& cell : cells) width = std::max(width, cell.second.size());
    std::string text = fmt::format("  {:{}}", "", head);
    for (const std::string& column : columns) text += fmt::format("  {:>{}}", column, width);
    text += '\n';
    for (std::size_t i = 0; i < size(); ++i) {
      text += fmt::format("  {:{}}", rows[i], head);
      for (std::size_t j = 0; j < size(); ++j) {
        const auto cell = cells.find({i, j});
        text += fmt::format("  {:>{}}", cell == cells.end() ? (i == j ? "." : "-") : cell->second, width);
      }
      text += '\n';
    }
    return text;
  }

  std::vector<const Node*> nodes;
  bool unknown = false;  // whether some bandwidth is

 private:
  static std::string bandwidth(const Link& link) {
    return link.bandwidth.nominal > 0 ? gigabytes(link.bandwidth.nominal) : fmt::format("x{}", link.count);
  }

  std::map<std::pair<std::size_t, std::size_t>, std::string> cells;
};

}  // namespace

std::string draw_distances(const Graph& graph) {
  const NodeMatrix matrix(graph, LinkKind::distance);
  if (matrix.size() < 2) return {};
  if (const auto value = matrix.uniform())
    return fmt::format("NUMA distances: {} between each pair of {} nodes\n", *value, matrix.size());
  if (matrix.size() > widest) return fmt::format("NUMA distances: {} nodes, in --as json\n", matrix.size());
  std::vector<std::string> names;
  names.reserve(matrix.size());
  for (const Node* node : matrix.nodes) names.push_back(number_in_key(*node, "numa"));
  return "NUMA distances (10 is local)\n" + matrix.table(names, names);
}

std::string draw_gpu_links(const Graph& graph) {
  std::string text;
  for (const LinkKind kind : {LinkKind::nvlink, LinkKind::xgmi}) {
    const NodeMatrix matrix(graph, kind);
    if (matrix.size() < 2) continue;
    const std::string_view word = row(kind).word;
    if (const auto value = matrix.uniform()) {
      text += fmt::format("{}: {} between each pair of {} devices\n", word,
                          matrix.unknown ? *value + ", of unknown bandwidth," : *value + " GB/s", matrix.size());
      continue;
    }
    if (matrix.size() > widest) {
      text += fmt::format("{}: {} devices, in --as json\n", word, matrix.size());
      continue;
    }
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    for (const Node* node : matrix.nodes) {
      columns.push_back(fmt::format("{}", columns.size()));
      rows.push_back(fmt::format("{:>2} {}", columns.back(), short_key(*node)));
    }
    text += fmt::format("{} in GB/s{}\n{}", word, matrix.unknown ? " (x2: two links of unknown bandwidth)" : "",
                        matrix.table(rows, columns));
  }
  return text;
}

}  // namespace railgauge::topo

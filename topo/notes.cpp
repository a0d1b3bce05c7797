#include "topo/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace railgauge::topo {

void add_note(Graph& graph, std::string sentence) {
  if (graph.nodes.empty()) return;
  const auto at = graph.nodes.front().attributes.try_emplace(std::string(notes_attribute), std::vector<std::string>()).first;
  auto* list = std::get_if<std::vector<std::string>>(&at->second);
  if (list != nullptr && std::find(list->begin(), list->end(), sentence) == list->end()) list->push_back(std::move(sentence));
}

std::vector<std::string> notes_of(const Graph& graph) {
  std::vector<std::string> notes;
  for (const Node& node : graph.nodes)
    for (const std::string& note : list_of(node.attributes, notes_attribute)) notes.push_back(note);
  return notes;
}

bool is_unterminated(std::string_view text) noexcept { return !text.empty() && text.back() != '\n'; }

std::size_t last_line_of(std::string_view text) noexcept {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (is_unterminated(text) ? 1 : 0);
}

std::string may_be_cut(const std::string& origin, std::string_view text) {
  return fmt::format("{}:{}: this last line has no newline at its end, and may be cut", origin, last_line_of(text));
}

}  // namespace railgauge::topo

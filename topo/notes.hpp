// What a user must know of a graph's sources: that a file may be cut, or that a record is missing. Kept with the graph, so that
// it is in every file that is made of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Of a node: a list of sentences without a final dot, "fabric.out:812: ...".
inline constexpr std::string_view notes_attribute = "notes";

// To the first node; nothing where the graph has none. A sentence that stands there already is not repeated.
void add_note(Graph& graph, std::string sentence);

// Of all nodes, in their order.
[[nodiscard]] std::vector<std::string> notes_of(const Graph& graph);

// Whether the last line of a text lacks the newline at its end: every program writes it, and a file that was cut has lost it.
[[nodiscard]] bool is_unterminated(std::string_view text) noexcept;
[[nodiscard]] std::size_t last_line_of(std::string_view text) noexcept;  // counted from 1

// "ORIGIN:LINE: this last line has no newline at its end, and may be cut".
[[nodiscard]] std::string may_be_cut(const std::string& origin, std::string_view text);

}  // namespace railgauge::topo

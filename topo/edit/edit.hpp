// Edits of a graph, as data: what if this link were gone or slower, if there were fewer rails, or fewer links up?
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

enum class EditKind : std::uint8_t { remove, set_bandwidth, rails, oversubscribe };

struct Edit {
  EditKind kind = EditKind::remove;
  std::string what;  // of remove and set: the link or node, as it was written
  double value = 0;  // GB/s of each link in each direction; rails; links down over links up
};

// Reads one of
//   remove LINK          remove NODE, with all that it contains
//   set LINK bandwidth=GB/s
//   rails=NUMBER         so many NICs of each host stay, spread over all of its rails (of eight, four: 0, 2, 4 and 6)
//   oversubscribe=RATIO  each leaf keeps links up for 1/RATIO of the bandwidth of its links to hosts, to the same spines
// NODE is a key, or a name as find_node() of topo/expect takes it. LINK is link_key() of topo/ratios.hpp, "A - B" for all links
// between two nodes or what they contain, or "A:PORT" for those in one port. Throws Error(usage) for any other text.
[[nodiscard]] Edit parse_edit(std::string_view text);
[[nodiscard]] std::string to_text(const Edit&);  // as parse_edit() reads it

// One after the other. The order of what stays is as before, and links name only nodes that are there. Switches that lose their
// last host or switch below by `rails` or `oversubscribe` go too. Throws Error(usage) when the graph has no such node, link or
// rails, or `rails` or `oversubscribe` would change nothing.
[[nodiscard]] Graph apply_edits(Graph graph, std::span<const Edit> edits);

}  // namespace railgauge::topo

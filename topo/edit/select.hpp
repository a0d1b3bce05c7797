// Finds the nodes and links that an edit names.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "topo/view.hpp"

namespace railgauge::topo::edit {

// Either one node, or at least one link.
struct Selection {
  std::size_t node = View::none;
  std::vector<std::size_t> links;  // places
};

// Throws Error(usage) when there is none.
[[nodiscard]] Selection select(const View& view, std::string_view said);
[[nodiscard]] std::vector<std::size_t> select_links(const View& view, std::string_view said);  // never a node

}  // namespace railgauge::topo::edit

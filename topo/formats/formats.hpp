// The formats that a graph can be written in: adding one is a row and a file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct Format {
  std::string_view name;  // of --as
  std::string_view summary;
  std::string (*write)(const Graph&);  // ends with a newline
};

[[nodiscard]] std::span<const Format> formats() noexcept;  // static storage; the first row is the default
// Throws Error(usage) that lists the formats when there is none of this name.
[[nodiscard]] const Format& find_format(std::string_view name);

[[nodiscard]] std::string to_json(const Graph&);  // docs/topology.schema.json
[[nodiscard]] std::string to_dot(const Graph&);
[[nodiscard]] std::string to_graphml(const Graph&);
[[nodiscard]] std::string to_svg(const Graph&);
[[nodiscard]] std::string to_html(const Graph&);
[[nodiscard]] std::string to_text(const Graph&);  // for people, at most some 100 columns

}  // namespace railgauge::topo

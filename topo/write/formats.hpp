// The output formats of a graph. A new format needs a row in the table and a file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topo/draw/draw.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

struct Format {
  std::string_view name;  // of --as
  std::string_view summary;
  std::string (*write)(const Graph&);  // ends with a newline
  // The same with links coloured by measured/expected; nullptr for formats without colours.
  std::string (*colour)(const Graph&, const Ratios&) = nullptr;
};

[[nodiscard]] std::span<const Format> formats() noexcept;  // static storage; the first row is the default
// Throws Error(usage) that lists the formats when none has this name.
[[nodiscard]] const Format& find_format(std::string_view name);
[[nodiscard]] std::string names_of_formats();  // "tree, json, ..."

[[nodiscard]] std::string to_json(const Graph&);  // docs/topology.schema.json
// The table of `nvidia-smi topo -m` for each machine, with its tabs. Throws Error(usage) for a graph without GPU and NIC.
[[nodiscard]] std::string to_matrix(const Graph&);
// An NCCL_TOPO_FILE; writes the elements of read_nccl() unchanged. Throws Error(usage) for a graph that NCCL could not read, or
// that has no machine or several.
[[nodiscard]] std::string to_nccl(const Graph&);
// Pictures with what topo/check finds, and with links coloured by measured/expected. What was measured far below the rest is a
// finding too.
[[nodiscard]] std::string picture_svg(const Graph&);
[[nodiscard]] std::string picture_svg(const Graph&, const Ratios&);
[[nodiscard]] std::string picture_html(const Graph&);
[[nodiscard]] std::string picture_html(const Graph&, const Ratios&);
[[nodiscard]] std::string to_dot(const Graph&);
[[nodiscard]] std::string to_graphml(const Graph&);

}  // namespace railgauge::topo

// The formats that a graph can be written in: adding one is a row and a file.
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
  // The same, with links coloured by measured/expected; null where there are no colours.
  std::string (*colour)(const Graph&, const Ratios&) = nullptr;
};

[[nodiscard]] std::span<const Format> formats() noexcept;  // static storage; the first row is the default
// Throws Error(usage) that lists the formats when there is none of this name.
[[nodiscard]] const Format& find_format(std::string_view name);

[[nodiscard]] std::string to_json(const Graph&);  // docs/topology.schema.json
// The table of `nvidia-smi topo -m`, of each machine, with its tabs. Throws Error(usage) for a graph without a GPU or a NIC.
[[nodiscard]] std::string to_matrix(const Graph&);
// NCCL_TOPO_FILE; what read_nccl() read comes out as it was. Throws Error(usage) for a graph that NCCL could not read, or that
// has no machine or several.
[[nodiscard]] std::string to_nccl(const Graph&);
[[nodiscard]] std::string to_dot(const Graph&);
[[nodiscard]] std::string to_graphml(const Graph&);

}  // namespace railgauge::topo

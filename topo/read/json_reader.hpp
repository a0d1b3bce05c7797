// Reads the JSON of `--as json`, so that a saved graph can be drawn, checked and compared.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether the text begins like railgauge's JSON, also in a truncated file.
[[nodiscard]] bool is_railgauge_json(std::string_view text);

// The graph of docs/topology.schema.json: to_json(read_json(to_json(graph))) is to_json(graph). Keeps provenance.
// Throws Error(usage) "ORIGIN:LINE: ..." for invalid JSON, and "ORIGIN: links[3].kind: ..." for a violation of the schema, a link
// to a missing node, or a node before its parent.
[[nodiscard]] Graph read_json(const Reading& reading);

}  // namespace railgauge::topo

// Reads back what `--as json` wrote, so that a saved graph can be drawn, checked and compared.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether it begins as railgauge's JSON does, or would if the file were whole.
[[nodiscard]] bool is_railgauge_json(std::string_view text);

// The graph of docs/topology.schema.json: to_json(read_json(to_json(graph))) is to_json(graph). Provenance stays what it was.
// Throws Error(usage) "ORIGIN:LINE: ..." for what is no JSON, and "ORIGIN: links[3].kind: ..." for what breaks the schema, names
// a node that is not there, or has a node before its parent.
[[nodiscard]] Graph read_json(const Reading& reading);

}  // namespace railgauge::topo

// JSON of foreign files, with bounds on depth and size, and one sentence for what is none.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "topo/evidence/evidence.hpp"

namespace railgauge::topo {

// Throws Error(usage) "ORIGIN:LINE: ..." for what is no JSON, and "ORIGIN: ..." for what is deeper or of more values.
[[nodiscard]] nlohmann::json parse_json(const Reading& reading, int deepest, std::size_t most_values);

}  // namespace railgauge::topo

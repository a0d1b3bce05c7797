// YAML of foreign files, with bounds on size and depth, without aliases, and one sentence for what is none.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string_view>

#include "topo/evidence/evidence.hpp"

namespace railgauge::topo {

// The only document of the text. `file` and `content` are for sentences: "topology.yaml", "list of topologies". Throws
// Error(usage) that names the line.
[[nodiscard]] YAML::Node parse_yaml(const Reading& reading, std::string_view file, std::string_view content);

}  // namespace railgauge::topo

// The queries to NVML for a machine's evidence.
#pragma once

#include "topo/evidence/apart.hpp"
#include "topo/evidence/nvml_library.hpp"

namespace railgauge::topo {

// Makes all queries and tells each answer at once, as a line of JSON. May hang or crash in the driver, so it belongs into a child
// process (apart.hpp).
void ask_nvml(const nvml::Library& library, Teller& teller);

}  // namespace railgauge::topo

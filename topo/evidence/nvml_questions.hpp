#pragma once

#include "topo/evidence/apart.hpp"
#include "topo/evidence/nvml_library.hpp"

namespace railgauge::topo {

// Asks all that railgauge wants to know, and says each answer as a line of JSON as soon as it is there. May hang or crash in the
// driver: for a process of its own.
void ask_nvml(const nvml::Library& library, Teller& teller);

}  // namespace railgauge::topo

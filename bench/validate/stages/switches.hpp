// Learns the places of hosts in the fabric from a topology that was given, before the first stage.
#pragma once

#include <string>

#include "bench/validate/stages/validation_run.hpp"
#include "topo/graph.hpp"

namespace railgauge::validate {

// Fills run.fleet with switches, cables and attachments, and run.found with their names. Asks hosts that the topology does not
// know by name for the GUIDs of their devices. Throws Error(usage) where it knows none of them; `origin` is what people call the
// topology.
void learn_switches(ValidationRun& run, const topo::Graph& graph, const std::string& origin);

}  // namespace railgauge::validate

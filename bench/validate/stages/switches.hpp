// Before the first stage: where hosts stand in the fabric, by a topology that was given.
#pragma once

#include <string>

#include "bench/validate/stages/validation_run.hpp"
#include "topo/graph.hpp"

namespace railgauge::validate {

// Fills course.fleet with switches, cables and attachments, and course.found with their names. Hosts that the topology does not
// know by name are asked for the GUIDs of their devices. Throws Error(usage) where it knows none of them; `origin` is what people
// call the topology.
void learn_switches(ValidationRun& course, const topo::Graph& graph, const std::string& origin);

}  // namespace railgauge::validate

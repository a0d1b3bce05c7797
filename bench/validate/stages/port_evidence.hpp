// Reads what the ports at both ends of a faulty cable counted while it was measured: errors speak against the cable, and traffic
// shows that the bytes crossed it.
#pragma once

#include <string>

#include "bench/validate/method/fleet.hpp"
#include "reports/validation/validation.hpp"
#include "topo/graph.hpp"

namespace railgauge::validate {

// Adds sentences to the evidence of each diagnosis whose ends are those of a cable of the fleet. `before` and `after` are the
// fabric with its counters, read twice; where there is no second reading, `why` says so.
void add_port_evidence(validation::Validation& found, const Fleet& fleet, const topo::Graph& before, const topo::Graph* after,
                       const std::string& why);

}  // namespace railgauge::validate

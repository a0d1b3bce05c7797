// What each host's port should carry: as was asked for, or by the rate that the port says it has.
#pragma once

#include "bench/validate/method/standing.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// By the options and the facts of the preflight. Ports of which nothing is known have a level of 0, and Level::source says why.
[[nodiscard]] Levels levels_of(const ValidationRun& run);

// Pure: the level of a port by its facts. `shared_by` ranks send through it at the same time, and `of_card` ports of its card are
// used, which share what the slot carries.
[[nodiscard]] Level level_of_port(const topo::preflight::HostFacts& facts, const std::string& port, std::size_t shared_by,
                                  std::size_t of_card = 1);

}  // namespace railgauge::validate

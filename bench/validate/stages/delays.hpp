// Whether hosts fall into those that answer soon and those that add to each latency, whatever their share.
#pragma once

#include <vector>

#include "bench/validate/method/delays.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// Where more than a quarter of the hosts add to latencies: measures them again, and tells the run's findings. Returns who was
// found; what few hosts add is left to localise().
[[nodiscard]] std::vector<Late> settle_delays(ValidationRun& run, Matches& matches, const std::vector<bool>& without,
                                              validation::Stage& told);

// Leaves out the latencies of a pair with one of them.
[[nodiscard]] std::vector<Latency> without_late(const std::vector<Late>& late, std::vector<Latency> latencies);

}  // namespace railgauge::validate

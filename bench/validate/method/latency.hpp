// Latency as a second measure: its inverse is a speed, on which the same model, localisation and confirmation work.
#pragma once

#include <span>
#include <vector>

#include "base/units.hpp"
#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

// Half of the round trip of a pair on one rail, so that both directions are in it.
struct Latency {
  Index a = 0, b = 0, rail = 0;
  Index round = 0;
  Seconds latency{};  // 0 or less: no message came through, and it is left out
  Seconds tail{};     // the 99th percentile; 0 where it is not known
};

// Returns the inverse of each latency in microseconds, the same for both directions: for samples_of(), suspect_unsteady() and
// Confirmation::add().
[[nodiscard]] std::vector<Measurement> speeds_of(std::span<const Latency> latencies);

// The same of the 99th percentiles.
[[nodiscard]] std::vector<Measurement> tail_speeds_of(std::span<const Latency> latencies);

// The least that counts: as a share of the usual latency, and in seconds. Latencies scatter more than bandwidths, and short ones
// differ by fractions of a microsecond for no reason.
struct LeastLonger {
  double share = 0.2, between_share = 0.3;
  Seconds longer{1e-6};
};
// Returns the same as shares of the inverse: for LocaliseOptions::least and ConfirmOptions::least.
[[nodiscard]] LeastSlower least_slower(const Model& model, const LeastLonger& least = {});

}  // namespace railgauge::validate

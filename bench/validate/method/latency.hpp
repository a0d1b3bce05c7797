// Latency as a second measure: the same model, localisation and confirmation work on one over it, a speed.
#pragma once

#include <span>
#include <vector>

#include "base/units.hpp"
#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

// There and back, halved: of both ways at once.
struct Latency {
  Index a = 0, b = 0, rail = 0;
  Index round = 0;
  Seconds latency{};  // 0 or less: none came through; left out
};

// One over each latency in microseconds, both ways alike, for samples_of(), suspect_unsteady() and Confirmation::add().
[[nodiscard]] std::vector<Measurement> speeds_of(std::span<const Latency> latencies);

// What counts: so much more than usual, and so much longer. Latencies scatter more than bandwidths, and short ones differ by
// fractions of a microsecond for no reason.
struct LeastLonger {
  double share = 0.2, between_share = 0.3;
  Seconds longer{1e-6};
};
// The same as shares of the inverse: for LocaliseOptions::least and ConfirmOptions::least.
[[nodiscard]] LeastSlower least_slower(const Model& model, const LeastLonger& least = {});

}  // namespace railgauge::validate

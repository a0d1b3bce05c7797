// When a host was slow: what share of the time, how far down, and whether that comes back in equal intervals.
#pragma once

#include <optional>
#include <span>

#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

struct Spells {
  double share = 0;                 // of the time that was measured: that it was low
  double gigabytes_per_second = 0;  // the median of these
  Index count = 0;                  // runs of low ones with others between them
  std::optional<Seconds> period;    // where low ones come at one phase of it, beyond doubt
};

// Of what `finding` is about, a host or a NIC that is slow at times, in all these measurements with their repeats and times.
[[nodiscard]] Spells spells_of(const Fleet& fleet, const Finding& finding, const Model& model,
                               std::span<const Measurement> measurements);

// Notes in the finding, once it is decided, how often it was low, how far down and in which period, by all of these.
void describe(const Fleet& fleet, Finding& finding, const Model& model, std::span<const Measurement> measurements);

// Moments that were looked at, ascending.
struct Look {
  Seconds at{};
  bool low = false;
};
// Returns the period of the low looks; nothing where the moments of looking explain it, or where it is no clear one.
[[nodiscard]] std::optional<Seconds> period_of(std::span<const Look> looks);

}  // namespace railgauge::validate

// Settles how hosts stand: pairs first, then one host with several others at the same time where pairs do not say it, and again
// to confirm. Who measures is not its business.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bench/validate/method/standing.hpp"

namespace railgauge::validate {

// Measures casts in which each of `hosts` is once the one, on all rails and in both directions; partners come from `preferred`
// first. Returns fewer where there was no time, or somebody did not answer.
using MeasureCasts = std::function<std::vector<Cast>(const std::vector<Index>& hosts, std::span<const Index> preferred)>;

struct Settled {
  std::vector<Capacities> capacities;  // by rail
  Standing standing;                   // before it was confirmed
  Confirmed confirmed;                 // what stands; `open` has those of the standing as well
  bool many = false;                   // what most hosts have is not what is usual, and that is confirmed
  bool all_asked = true;  // each host reaches its level in pairs, or was measured with several others at the same time
};
// `samples` are of pairs. Hosts in `absent` are not looked at.
[[nodiscard]] Settled settle(const Fleet& fleet, const Samples& samples, const Levels& levels, const std::vector<bool>& absent,
                             const MeasureCasts& measure);

}  // namespace railgauge::validate

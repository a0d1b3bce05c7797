// The power of a validation: which faults it would have found, from how much it looked.
#pragma once

#include <optional>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

inline constexpr double stated_power = 0.99;

// Of a host that is slow at times.
struct PowerOfTimes {
  Index hits = 0;    // so many low rounds make it suspected
  double share = 1;  // who is slow in this share of the time has so many with the stated power; 1: nobody has
};
// `looks` rounds, of which a share of `usual` is low where all is well; a host is suspected for what has a chance of `most_p` or
// less there. Each round is taken for one look that has nothing to do with the others.
[[nodiscard]] PowerOfTimes power_of(Index looks, double usual, double most_p);

// The least number of looks with which such a share is found, and `most` where that is more.
[[nodiscard]] Index looks_for(double share, double usual, double most_p, Index most);

// Returns by what share a host, sending and receiving on all rails, must be slower than its peers to be suspected with the stated
// power, from the scatter of this model; nothing where there are fewer than four hosts or too few rounds.
[[nodiscard]] std::optional<double> slowdown_of(const Fleet& fleet, const Model& model, const LocaliseOptions& options = {});

}  // namespace railgauge::validate

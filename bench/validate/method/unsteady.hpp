// Suspects what is slow at times, as a host that is stopped now and then, or one of several cables that flows take round-robin.
// Medians hide it; the share of low measurements shows it (docs/validate-method.md).
#pragma once

#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

// Several measurements of one pair, direction and rail in one round are repeats, in the order of time: stretches of one transfer,
// or transfers one after the other. Returns their medians, which samples_of() and fit() take.
[[nodiscard]] std::vector<Measurement> medians_of(std::span<const Measurement> measurements);

struct UnsteadyOptions {
  double false_hosts = 0.15, false_between = 0.2;  // the number of false suspects to expect where all is well
  double least_slower = 0.05;                      // as a share: a measurement that is less below the usual is not low
  double least_often_host = 0.03, least_often_between = 0.04;  // shares of low measurements, beyond the usual share
  Index least_rounds = 4;
};

// Adds hosts and, where sets are known (join_sets), uplinks, spines and what is above them that are slow at times far more often
// than the others, with often < 1. One that localise() suspects and that is as fast as others in between takes the place of that
// suspicion. `measurements` are all of them, with their repeats.
void suspect_unsteady(const Fleet& fleet, std::span<const Measurement> measurements, const Model& model, Suspicion& suspicion,
                      const UnsteadyOptions& options = {});

// What a host must do to be suspected, and how often each was looked at: for power_of() (power.hpp).
struct Watched {
  Index looks = 0;    // rounds of the host that has fewest
  double usual = 1;   // share of rounds that are low where all is well
  double most_p = 0;  // as many low rounds have no more than this chance there
};
[[nodiscard]] Watched watched(const Fleet& fleet, std::span<const Measurement> measurements, const Model& model,
                              std::span<const Index> hosts, const UnsteadyOptions& options = {});

}  // namespace railgauge::validate

// What is slow at times: a host that is stopped now and then, one of several cables that flows take round-robin. Medians hide it;
// how often measurements are low does not. docs/validate-method.md.
#pragma once

#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

// Several measurements of one pair, way and rail in one round are repeats, in the order in which they were taken: parts of one
// transfer, or transfers one after the other. Their medians are what samples_of() and fit() should be given.
[[nodiscard]] std::vector<Measurement> medians_of(std::span<const Measurement> measurements);

struct UnsteadyOptions {
  double false_hosts = 0.15, false_between = 0.2;              // how many false suspects are to be expected where all is well
  double least_slower = 0.05;                                  // what is less below the usual is not low
  double least_often_host = 0.15, least_often_between = 0.04;  // beyond the usual share of low measurements
  Index least_rounds = 4;
};

// Adds hosts and, where sets are known (join_sets), uplinks, spines and what is above them that are slow at times far more often
// than the others, with often < 1. One that localise() suspects and that is as fast as others in between takes the place of that
// suspicion. All measurements, repeats and all.
void suspect_unsteady(const Fleet& fleet, std::span<const Measurement> measurements, const Model& model, Suspicion& suspicion,
                      const UnsteadyOptions& options = {});

}  // namespace railgauge::validate

// Gradients and parameters between ranks that hold the same ones: data parallelism, ZeRO 1 to 3.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/workload/models/layout.hpp"
#include "bench/workload/models/step.hpp"

namespace railgauge::models {

// Parameters of one unit (a layer, or the embedding) that one rank holds: between all replicas of the rank, and between those
// that have the same experts.
struct Unit {
  std::string name;
  std::uint64_t dense = 0, experts = 0;
};

class Replicas {
 public:
  Replicas(const StepLayout& layout, const GridGroups::OfRank& groups, Step& step) : layout_(layout), of_(groups), step_(step) {}

  // At the beginning of the step, for the units in the order of their forward passes. ZeRO 1 and 2: gathers the parameters that
  // the optimizers of the replicas have changed in the step before, bucket by bucket.
  void begin(const std::vector<Unit>& units);
  // The next pass goes through these units. ZeRO 3: gathers the first.
  void enter(const std::vector<Unit>& units, bool forward, const After& last);
  // Before a unit of that pass computes: what it must wait for besides `last`. ZeRO 3: gathers the next one.
  [[nodiscard]] After wait_for(std::size_t unit, const After& last);
  // After its backward: gradients are reduced, now or once there are enough. `last_micro_batch`: of this chunk.
  void reduce(const Unit& unit, bool last_micro_batch, bool last_unit, const After& last);

  [[nodiscard]] const After& reductions() const { return reductions_; }  // that the optimizer waits for

 private:
  struct Part {
    const char* name;
    int group, ranks;
    std::uint64_t Unit::* elements;
  };
  [[nodiscard]] std::vector<Part> parts() const;
  void gather(const Unit& unit, const char* when, const After& after, After& gathered);
  void reduce_bucket(const Part& part, const Unit& from, std::uint64_t elements, const After& after);

  const StepLayout& layout_;
  const GridGroups::OfRank& of_;
  Step& step_;
  std::map<std::string, After> first_use_;  // ZeRO 1, 2: by unit
  std::vector<Unit> units_;                 // of the pass
  std::vector<After> gathered_;             // ZeRO 3, by unit of the pass
  const char* when_ = "";
  std::vector<std::uint64_t> open_{0, 0};  // elements of the open bucket, by part
  After reductions_;
};

}  // namespace railgauge::models

// The built-in workloads: training steps of well-known models, made by formulas from their shapes. docs/workloads.md has the
// formulas and their sources; each node says in `reason` which one its size comes from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/workload/workload.hpp"

namespace railgauge::models {

// What the user says of a step; nothing: as the model was trained, fitted to the number of ranks.
struct Options {
  std::optional<int> ranks = {};
  std::optional<int> data = {}, tensor = {}, pipeline = {}, expert = {}, context = {};  // ranks of each kind of group
  std::optional<int> chunks = {};                           // of layers on each pipeline stage: interleaved where more than 1
  std::optional<int> micro_batches = {}, micro_batch = {};  // a step; samples of one on one data-parallel rank
  std::optional<int> sequence = {};                         // tokens of a sample
  std::optional<int> zero = {};                             // 0 to 3; 3 is FSDP
  std::optional<int> layers = {};                           // the first so many
  std::optional<Type> gradients = {};                       // type in which gradients are reduced
  std::optional<double> imbalance = {};                     // of experts: largest share over the mean
  std::optional<double> tflops = {};                        // that one rank sustains, for the time of computations
  std::optional<int> only_rank = {};                        // makes the list of this rank alone
  friend bool operator==(const Options&, const Options&) = default;
};

struct Model {
  std::string_view name;
  std::string_view summary;
  Workload (*make)(const Options&);
};

[[nodiscard]] std::span<const Model> models() noexcept;
[[nodiscard]] const Model* find_model(std::string_view name) noexcept;  // null where there is none

// Throws Error(usage) for options that do not fit the model or each other, with one sentence.
[[nodiscard]] Workload make_workload(const Model& model, const Options& options);

}  // namespace railgauge::models

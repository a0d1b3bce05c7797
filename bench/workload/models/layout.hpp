// The sizes of one training step, once all options are known: the grid of ranks, the layers of each chunk, the batch.
#pragma once

#include <string>
#include <vector>

#include "bench/workload/models/grid.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/models/transformer.hpp"

namespace railgauge::models {

struct StepLayout {
  Shape shape;  // with as many layers as were asked for
  Grid grid;
  int chunks = 1, micro_batches = 1, micro_batch = 1, sequence = 1, zero = 0;
  Type gradients = Type::float32;
  double imbalance = 1;
  double flops_per_second = 1;

  struct Layers {
    int first = 0, last = 0;
  };
  std::vector<Layers> of_chunk;  // by chunk of the whole pipeline: number * stages + stage

  [[nodiscard]] std::uint64_t tokens() const {  // of a micro-batch on one context rank
    return static_cast<std::uint64_t>(micro_batch) * static_cast<std::uint64_t>(sequence) /
           static_cast<std::uint64_t>(grid.context);
  }
  [[nodiscard]] const Layers& layers(int stage, int chunk) const {
    return of_chunk[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(grid.pipeline) + static_cast<std::size_t>(stage)];
  }
};

// Throws Error(usage) for options that do not fit together. What was chosen by itself goes into `notes`.
[[nodiscard]] StepLayout layout_of(const Shape& shape, const Options& options, std::vector<std::string>& notes);

}  // namespace railgauge::models

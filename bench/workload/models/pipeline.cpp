// Warm-up, then forward and backward passes one after the other, and the rest; bench/workload/models/pipeline.hpp.
#include "bench/workload/models/pipeline.hpp"

#include <algorithm>

namespace railgauge::models {
namespace {

// Of all forward (or backward) passes of a stage, the `nth`: `stages` micro-batches through a chunk, then through the next one.
Pass nth_pass(bool forward, int nth, int stages, int chunks) {
  if (chunks == 1) return {forward, nth, 0};
  const int round = stages * chunks;
  const int chunk = nth % round / stages;
  return {forward, nth / round * stages + nth % stages, forward ? chunk : chunks - 1 - chunk};
}

}  // namespace

std::vector<Pass> passes_of(int stage, int stages, int micro_batches, int chunks) {
  const int all = micro_batches * chunks;
  const int warm_up = std::min(all, chunks == 1 ? stages - stage - 1 : (stages - stage - 1) * 2 + (chunks - 1) * stages);
  std::vector<Pass> passes;
  for (int i = 0; i < warm_up; ++i) passes.push_back(nth_pass(true, i, stages, chunks));
  for (int i = warm_up; i < all; ++i) {
    passes.push_back(nth_pass(true, i, stages, chunks));
    passes.push_back(nth_pass(false, i - warm_up, stages, chunks));
  }
  for (int i = all - warm_up; i < all; ++i) passes.push_back(nth_pass(false, i, stages, chunks));
  return passes;
}

}  // namespace railgauge::models

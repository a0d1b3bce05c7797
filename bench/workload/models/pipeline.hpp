// The order of forward and backward passes on a pipeline stage: 1F1B, and interleaved where a stage has several chunks.
#pragma once

#include <vector>

namespace railgauge::models {

struct Pass {
  bool forward = true;
  int micro_batch = 0, chunk = 0;
  friend bool operator==(const Pass&, const Pass&) = default;
};

// D. Narayanan et al., Efficient large-scale language model training on GPU clusters using Megatron-LM, SC 2021, section 2.2.
// `micro_batches` is a multiple of `stages` where there is more than one chunk. With 4 stages and 4 micro-batches, a number for a
// forward pass and a letter for a backward one:
//   stage 0  0 1 2 3 . . . a . b . c . d
//   stage 1  . 0 1 2 . . a 3 b . c . d
//   stage 2  . . 0 1 . a 2 b 3 c . d
//   stage 3  . . . 0 a 1 b 2 c 3 d
[[nodiscard]] std::vector<Pass> passes_of(int stage, int stages, int micro_batches, int chunks);

}  // namespace railgauge::models

// Walks along pointers by a GPU: in its own memory, in another GPU's, and in the host's.
#pragma once

#include <memory>

#include "bench/device/chase.hpp"

namespace railgauge::cuda {

// A GPU that cannot reach the other's memory is refused with a sentence: Error(usage).
[[nodiscard]] std::unique_ptr<ChaseJob> chase(const ChaseOrder& order);

}  // namespace railgauge::cuda

// A call of the CUDA runtime that failed, as a sentence.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace railgauge::cuda {

// Throws Error(usage) "cudaMalloc of 12 bytes on cuda:0: out of memory (cudaErrorMemoryAllocation)" unless `code` is success.
void check(cudaError_t code, const std::string& what);

}  // namespace railgauge::cuda

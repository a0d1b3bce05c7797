// Small kernels that tests put into streams.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace softgpu::test {

cudaError_t add(std::uint64_t* word, std::uint64_t value, cudaStream_t stream);
// As many blocks, which all wait until the word is not zero.
cudaError_t await(const std::uint64_t* word, unsigned blocks, cudaStream_t stream);
// The first `words` words, by one thread each.
cudaError_t twice(const std::uint64_t* from, std::uint64_t* to, unsigned words, cudaStream_t stream);

}  // namespace softgpu::test

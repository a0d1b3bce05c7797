// Gradient buckets as PyTorch's DistributedDataParallel makes them.
#include <numeric>

#include "bench/workload/models/parameters.hpp"

namespace railgauge::models {

std::uint64_t total(std::span<const Tensor> tensors) {
  return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Tensor& tensor) { return sum + tensor.elements; });
}

std::vector<Bucket> gradient_buckets(std::span<const Tensor> tensors, std::uint64_t element_bytes, const BucketLimits& limits) {
  std::vector<Bucket> buckets;
  Bucket open{tensors.size(), tensors.size()};
  for (std::size_t i = tensors.size(); i-- > 0;) {
    open.first = i;
    open.elements += tensors[i].elements;
    open.flops += tensors[i].flops;
    if (open.elements * element_bytes < (buckets.empty() ? limits.first : limits.others)) continue;
    buckets.push_back(open);
    open = {i, i};
  }
  if (open.elements != 0) buckets.push_back(open);
  return buckets;
}

}  // namespace railgauge::models

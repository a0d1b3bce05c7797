// The parameter tensors of a model in the order in which its framework lists them, and the gradient buckets that follow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace railgauge::models {

struct Tensor {
  std::string name;
  std::uint64_t elements = 0;
  double flops = 0;  // of one sample forward, of the layer whose weight this is; 0 for what costs next to nothing
};

// As torchvision's resnet50(): 161 tensors, 25,557,032 parameters. Stride 2 is in the 3 x 3 convolutions (v1.5).
[[nodiscard]] std::vector<Tensor> resnet50_tensors();
// Float and integer elements of its buffers: means, variances and counts of 53 batch normalisations.
inline constexpr std::uint64_t resnet50_float_buffers = 53'120, resnet50_integer_buffers = 53;

// BERT-large with both heads of pre-training, the word embedding tied to the decoder: 336,226,108 parameters.
[[nodiscard]] std::vector<Tensor> bert_large_tensors(int sequence);

[[nodiscard]] std::uint64_t total(std::span<const Tensor> tensors);

// Tensors [first, last) of the list, whose gradients one all-reduce sums.
struct Bucket {
  std::size_t first = 0, last = 0;
  std::uint64_t elements = 0;
  double flops = 0;  // forward, of its tensors
};

struct BucketLimits {
  std::uint64_t first = std::uint64_t{1} << 20, others = std::uint64_t{25} << 20;  // bytes
};

// PyTorch's DistributedDataParallel: gradients become ready in the reverse order of the list; each is added to the open bucket,
// which is closed once its bytes reach the limit. In the order of the calls.
[[nodiscard]] std::vector<Bucket> gradient_buckets(std::span<const Tensor> tensors, std::uint64_t element_bytes,
                                                   const BucketLimits& limits = {});

}  // namespace railgauge::models

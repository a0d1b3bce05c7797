// The shapes of well-known transformers, and the parameters that they add up to.
#include <algorithm>
#include <iterator>

#include "bench/workload/models/transformer.hpp"

namespace railgauge::models {
namespace {

constexpr const char* h100 = "400 TFLOP/s of an H100, as Llama 3 405B reached on 16,384 (arXiv 2407.21783)";
constexpr const char* assumed_h100 = "40 % of an H100's 989 TFLOP/s (an assumption)";

const Shape shapes[] = {
    {.name = "gpt3-175b",
     .source = "T. Brown et al., arXiv 2005.14165; trained as in arXiv 2104.04473",
     .layers = 96,
     .hidden = 12288,
     .inner = 49152,
     .heads = 96,
     .head = 128,
     .key_value_heads = 96,
     .vocabulary = 50257,
     .gated = false,
     .biases = true,
     .tied = true,
     .positions = 2048,
     .sequence = 2048,
     .tensor = 8,
     .data = 16,
     .pipeline = 8,
     .micro_batches = 96,
     .tflops = 140,
     .speed = "140 TFLOP/s of an A100 (arXiv 2104.04473)"},
    {.name = "llama3-8b",
     .source = "arXiv 2407.21783",
     .layers = 32,
     .hidden = 4096,
     .inner = 14336,
     .heads = 32,
     .head = 128,
     .key_value_heads = 8,
     .vocabulary = 128256,
     .sequence = 8192,
     .data = 8,
     .zero = 3,
     .micro_batches = 4,
     .tflops = 400,
     .speed = h100},
    {.name = "llama3-70b",
     .source = "arXiv 2407.21783",
     .layers = 80,
     .hidden = 8192,
     .inner = 28672,
     .heads = 64,
     .head = 128,
     .key_value_heads = 8,
     .vocabulary = 128256,
     .sequence = 8192,
     .tensor = 4,
     .data = 2,
     .pipeline = 8,
     .zero = 1,
     .micro_batches = 64,
     .tflops = 400,
     .speed = h100},
    {.name = "llama3-405b",
     .source = "arXiv 2407.21783",
     .layers = 126,
     .hidden = 16384,
     .inner = 53248,
     .heads = 128,
     .head = 128,
     .key_value_heads = 8,
     .vocabulary = 128256,
     .sequence = 8192,
     .tensor = 8,
     .data = 128,
     .pipeline = 16,
     .zero = 1,
     .micro_batches = 16,
     .tflops = 400,
     .speed = h100},
    {.name = "mixtral-8x7b",
     .source = "arXiv 2401.04088",
     .layers = 32,
     .hidden = 4096,
     .inner = 14336,
     .heads = 32,
     .head = 128,
     .key_value_heads = 8,
     .vocabulary = 32000,
     .experts = 8,
     .chosen = 2,
     .expert_inner = 14336,
     .sequence = 4096,
     .data = 64,
     .expert = 8,
     .zero = 1,
     .micro_batches = 4,
     .tflops = 396,
     .speed = assumed_h100},
    {.name = "deepseek-v3",
     .source = "arXiv 2412.19437; without its multi-token prediction, and experts in bfloat16 groups of 64 ranks",
     .layers = 61,
     .hidden = 7168,
     .inner = 18432,
     .heads = 128,
     .head = 128,
     .key_value_heads = 128,
     .vocabulary = 129280,
     .query_rank = 1536,
     .key_value_rank = 512,
     .rotary_head = 64,
     .experts = 256,
     .chosen = 8,
     .shared = 1,
     .expert_inner = 2048,
     .dense_layers = 3,
     .dispatch = Type::float8_e4m3,
     .sequence = 4096,
     .data = 128,
     .pipeline = 16,
     .expert = 64,
     .zero = 1,
     .micro_batches = 120,
     .tflops = 396,
     .speed = assumed_h100},
};

}  // namespace

const Shape* find_shape(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(std::begin(shapes), std::end(shapes), [&](const Shape& shape) { return name == shape.name; });
  return found == std::end(shapes) ? nullptr : found;
}

bool has_experts(const Shape& shape, int layer) { return shape.experts != 0 && layer >= shape.dense_layers; }

std::uint64_t attention_parameters(const Shape& shape) {
  const std::uint64_t h = shape.hidden, all = shape.heads * shape.head;
  if (shape.query_rank != 0) {
    const std::uint64_t q = shape.query_rank, kv = shape.key_value_rank;
    return h * q + q + q * shape.heads * (shape.head + shape.rotary_head)  // down, norm, up
           + h * (kv + shape.rotary_head) + kv + kv * 2 * all              // keys and values
           + all * h;
  }
  const std::uint64_t biases = shape.biases ? 2 * all + 2 * shape.key_value_heads * shape.head : 0;
  return 2 * h * all + 2 * h * shape.key_value_heads * shape.head + biases;
}

std::uint64_t dense_parameters(const Shape& shape) {
  return (shape.gated ? 3 : 2) * shape.hidden * shape.inner + (shape.biases ? shape.inner + shape.hidden : 0);
}

std::uint64_t expert_parameters(const Shape& shape) { return 3 * shape.hidden * shape.expert_inner; }

std::uint64_t router_parameters(const Shape& shape) { return shape.hidden * shape.experts; }

std::uint64_t norm_parameters(const Shape& shape) { return (shape.biases ? 4 : 2) * shape.hidden; }

std::uint64_t parameters(const Shape& shape) {
  std::uint64_t sum = shape.vocabulary * shape.hidden * (shape.tied ? 1 : 2) + shape.positions * shape.hidden +
                      (shape.biases ? 2 : 1) * shape.hidden;
  for (int layer = 0; layer < shape.layers; ++layer) {
    sum += attention_parameters(shape) + norm_parameters(shape);
    sum += has_experts(shape, layer) ? (shape.experts + shape.shared) * expert_parameters(shape) + router_parameters(shape)
                                     : dense_parameters(shape);
  }
  return sum;
}

}  // namespace railgauge::models

// Decoder-only transformers: their shapes, and the step of one with tensor, context, expert, pipeline and data parallelism.
#pragma once

#include <cstdint>
#include <string>

#include "bench/workload/models/models.hpp"

namespace railgauge::models {

// The shape of a model, and how it was trained.
struct Shape {
  const char* name = "";
  const char* source = "";
  int layers = 1;
  std::uint64_t hidden = 1, inner = 1;  // of a dense layer's feed-forward network
  std::uint64_t heads = 1, head = 1;    // and elements of one
  std::uint64_t key_value_heads = 1;
  std::uint64_t vocabulary = 1;
  bool gated = true;            // three matrices in the feed-forward network, not two
  bool biases = false;          // and layer normalisations that have them, as GPT's
  bool tied = false;            // the output layer is the word embedding
  std::uint64_t positions = 0;  // that are learned
  // Latent attention, as DeepSeek's; 0: queries, keys and values have matrices of their own.
  std::uint64_t query_rank = 0, key_value_rank = 0, rotary_head = 0;
  // Mixture of experts; 0: all layers are dense.
  std::uint64_t experts = 0, chosen = 0, shared = 0, expert_inner = 0;
  int dense_layers = 0;  // the first so many have no experts
  Type dispatch = Type::bfloat16;

  int sequence = 2048;
  int tensor = 1, context = 1, data = 1, pipeline = 1, expert = 1, chunks = 1, zero = 0;
  int micro_batches = 1, micro_batch = 1;
  double tflops = 400;
  const char* speed = "";
};

// Parameters of one layer without its feed-forward network; of a dense one; of one expert; of all else in a layer with experts.
[[nodiscard]] std::uint64_t attention_parameters(const Shape& shape);
[[nodiscard]] std::uint64_t dense_parameters(const Shape& shape);
[[nodiscard]] std::uint64_t expert_parameters(const Shape& shape);
[[nodiscard]] std::uint64_t router_parameters(const Shape& shape);
[[nodiscard]] std::uint64_t norm_parameters(const Shape& shape);  // of a layer
[[nodiscard]] std::uint64_t parameters(const Shape& shape);       // of the whole model
[[nodiscard]] bool has_experts(const Shape& shape, int layer);

[[nodiscard]] const Shape* find_shape(std::string_view name) noexcept;

[[nodiscard]] Workload make_transformer(const Shape& shape, const Options& options);

}  // namespace railgauge::models

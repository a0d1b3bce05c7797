// Fits a model to the ranks that there are; bench/workload/models/layout.hpp.
#include "bench/workload/models/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace railgauge::models {
namespace {

constexpr long most_layer_runs = 200'000;  // of one rank: layers and messages, times micro-batches

[[noreturn]] void refuse(const Shape& shape, const std::string& what) {
  throw Error(Fault::usage, fmt::format("{}: {}", shape.name, what));
}

struct Dimension {
  const char* name;
  const std::optional<int>& asked;
  int trained;  // how the model was trained
  int& value;
};

// The greatest divisor of `number` that is at most `most` and divides `of`.
int divisor(int number, int most, int of) {
  for (int each = std::min(number, most); each > 1; --each)
    if (number % each == 0 && of % each == 0) return each;
  return 1;
}

// Prime factors of the ranks that are left, the largest first, each to the smallest dimension that has not reached what the
// model was trained with; to the data ranks where all have.
void share_out(int left, std::vector<Dimension>& open) {
  std::vector<int> primes;
  for (int factor = 2; left > 1; ++factor)
    for (; left % factor == 0; left /= factor) primes.push_back(factor);
  std::reverse(primes.begin(), primes.end());
  for (const int prime : primes) {
    Dimension* best = &open.back();
    for (Dimension& each : open)
      if (each.value * prime <= each.trained && (best->value * prime > best->trained || each.value < best->value)) best = &each;
    best->value *= prime;
  }
}

Grid grid_of(const Shape& shape, const Options& options, std::vector<std::string>& notes) {
  Grid grid{shape.tensor, shape.context, shape.data, shape.pipeline, shape.expert};
  std::vector<Dimension> all{{"--tensor", options.tensor, shape.tensor, grid.tensor},
                             {"--pipeline", options.pipeline, shape.pipeline, grid.pipeline},
                             {"--context", options.context, shape.context, grid.context},
                             {"--data", options.data, shape.data, grid.data}};
  std::vector<Dimension> open;
  long asked = 1, trained = 1;
  for (Dimension& each : all) {
    if (each.asked) {
      each.value = *each.asked;
      asked *= each.value;
    } else {
      open.push_back(each);
      if (&each != &all.back()) trained *= each.trained;
    }
    if (asked > (1 << 20)) refuse(shape, "more than 1,048,576 ranks");
  }
  const bool only_some = !open.empty() && open.size() < all.size();
  if (options.ranks) {
    const int ranks = *options.ranks;
    if (ranks % asked != 0 || (open.empty() && ranks != asked))
      refuse(shape, fmt::format("--ranks {} is not made of the {} ranks of the other options", ranks, asked));
    const auto left = static_cast<int>(ranks / asked);
    if (!open.empty() && !options.data && left % trained == 0) {
      open.back().value = static_cast<int>(left / trained);
    } else if (!open.empty()) {
      for (Dimension& each : open) each.value = 1;
      share_out(left, open);
      notes.push_back(fmt::format("{} ranks are fewer than the model was trained on: tensor {}, context {}, data {}, pipeline {}",
                                  ranks, grid.tensor, grid.context, grid.data, grid.pipeline));
    }
  } else if (only_some) {
    for (Dimension& each : open) each.value = 1;
  }
  if (static_cast<long>(grid.tensor) * grid.context * grid.data > (1L << 20) / grid.pipeline)
    refuse(shape, "more than 1,048,576 ranks");
  if (options.expert && shape.experts == 0) refuse(shape, "has no experts: leave --expert out");
  grid.expert = options.expert.value_or(divisor(grid.stage_ranks(), shape.expert, static_cast<int>(shape.experts)));
  if (grid.stage_ranks() % grid.expert != 0)
    refuse(shape, fmt::format("--expert {} does not divide the {} ranks of a stage", grid.expert, grid.stage_ranks()));
  if (shape.experts % static_cast<std::uint64_t>(grid.expert) != 0 && grid.expert > 1)
    refuse(shape, fmt::format("--expert {} does not divide its {} experts", grid.expert, shape.experts));
  return grid;
}

// As evenly as it goes; the first and the last chunk, which also have the embeddings, get the fewer.
std::vector<StepLayout::Layers> split(int layers, int chunks) {
  std::vector<StepLayout::Layers> result;
  const int extra = layers % chunks, begin = (chunks - extra) / 2;
  int first = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int last = first + layers / chunks + (chunk >= begin && chunk < begin + extra ? 1 : 0);
    result.push_back({first, last});
    first = last;
  }
  return result;
}

}  // namespace

StepLayout layout_of(const Shape& shape, const Options& options, std::vector<std::string>& notes) {
  StepLayout layout;
  layout.shape = shape;
  layout.grid = grid_of(shape, options, notes);
  const Grid& grid = layout.grid;
  if (options.layers) {
    if (*options.layers > shape.layers) refuse(shape, fmt::format("--layers {}, and it has {}", *options.layers, shape.layers));
    layout.shape.layers = *options.layers;
    notes.push_back(fmt::format("{} of its {} layers", *options.layers, shape.layers));
  }
  layout.chunks = options.chunks.value_or(shape.chunks);
  const int chunks = grid.pipeline * layout.chunks;
  if (layout.chunks > 1 && grid.pipeline == 1) refuse(shape, "--chunks is of a pipeline: say --pipeline");
  if (chunks > layout.shape.layers)
    refuse(shape,
           fmt::format("{} layers do not suffice for {} stages of {} chunks", layout.shape.layers, grid.pipeline, layout.chunks));
  layout.micro_batch = options.micro_batch.value_or(shape.micro_batch);
  layout.sequence = options.sequence.value_or(shape.sequence);
  layout.zero = options.zero.value_or(shape.zero);
  layout.gradients = options.gradients.value_or(Type::float32);
  layout.imbalance = options.imbalance.value_or(shape.experts != 0 ? 1.2 : 1);
  layout.flops_per_second = options.tflops.value_or(shape.tflops) * 1e12;
  const bool as_trained = grid.data == shape.data && grid.pipeline == shape.pipeline;
  layout.micro_batches =
      options.micro_batches.value_or(as_trained ? shape.micro_batches : std::min(shape.micro_batches, 2 * grid.pipeline));
  // A stage has nodes for each layer and micro-batch, and some for the messages and the embedding.
  if (static_cast<long>(layout.micro_batches) * (layout.shape.layers / grid.pipeline + 3) > most_layer_runs)
    refuse(shape, fmt::format("{} micro-batches of {} layers on a stage make lists that are too long: choose fewer by "
                              "--micro-batches or --layers",
                              layout.micro_batches, layout.shape.layers / grid.pipeline));
  if (!options.micro_batches && !as_trained)
    notes.push_back(fmt::format("{} micro-batches, two a pipeline stage (--micro-batches)", layout.micro_batches));
  if (layout.chunks > 1 && layout.micro_batches % grid.pipeline != 0)
    refuse(shape, fmt::format("an interleaved pipeline of {} stages needs a multiple of as many micro-batches, and there are {}",
                              grid.pipeline, layout.micro_batches));
  if (layout.zero == 3 && grid.pipeline > 1 && layout.micro_batches > 1 && !options.zero)
    refuse(shape, "FSDP gathers each layer for each micro-batch of a pipeline: say --zero 1, or --zero 3 if that is meant");
  if (options.imbalance && shape.experts == 0) refuse(shape, "has no experts: leave --imbalance out");
  const auto t = static_cast<std::uint64_t>(grid.tensor);
  if (shape.heads % t != 0 || (shape.key_value_heads % t != 0 && t % shape.key_value_heads != 0))
    refuse(shape, fmt::format("--tensor {} does not divide its {} heads and {} of keys and values", t, shape.heads,
                              shape.key_value_heads));
  if (layout.sequence % (grid.context * grid.tensor) != 0)
    refuse(shape, fmt::format("a sequence of {} tokens does not divide by {} context and {} tensor ranks", layout.sequence,
                              grid.context, grid.tensor));
  layout.of_chunk = split(layout.shape.layers, chunks);
  notes.push_back(fmt::format("computations at {:.4g} TFLOP/s a rank: {}", layout.flops_per_second / 1e12,
                              options.tflops ? "--tflops" : shape.speed));
  if (shape.experts != 0)
    notes.push_back(fmt::format(
        "loads of experts: the largest is {:.3g} times the mean, another rank in each layer (--imbalance)", layout.imbalance));
  return layout;
}

}  // namespace railgauge::models

// The models by name: a new one is a row here and its builder.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "bench/workload/models/data_parallel.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/models/recommendation.hpp"
#include "bench/workload/models/transformer.hpp"

namespace railgauge::models {
namespace {

template <const auto& Name>
Workload transformer(const Options& options) {
  return make_transformer(*find_shape(Name), options);
}
constexpr char gpt3[] = "gpt3-175b", llama_8b[] = "llama3-8b", llama_70b[] = "llama3-70b", llama_405b[] = "llama3-405b",
               mixtral[] = "mixtral-8x7b", deepseek[] = "deepseek-v3";

constexpr Model rows[] = {
    {"resnet50", "25.6 M parameters, data parallel: DDP's five all-reduces", make_resnet50},
    {"bert-large", "336 M parameters with both heads, data parallel", make_bert_large},
    {gpt3, "dense; tensor, pipeline and data parallel", transformer<gpt3>},
    {llama_8b, "dense; FSDP", transformer<llama_8b>},
    {llama_70b, "dense; tensor, pipeline and data parallel, ZeRO-1", transformer<llama_70b>},
    {llama_405b, "dense; tensor, pipeline and data parallel, ZeRO-1", transformer<llama_405b>},
    {mixtral, "8 experts, 2 a token; expert and data parallel", transformer<mixtral>},
    {deepseek, "256 experts, 8 a token; expert, pipeline and data parallel", transformer<deepseek>},
    {"dlrm", "26 embedding tables on all ranks, networks data parallel", make_dlrm},
};

constexpr int most_ranks = 1 << 20;

void expect_positive(const std::optional<int>& value, const char* option, int least = 1, int most = most_ranks) {
  if (value && (*value < least || *value > most))
    throw Error(Fault::usage, fmt::format("{} {}: expected a whole number from {} to {}", option, *value, least, most));
}

}  // namespace

std::span<const Model> models() noexcept { return rows; }

const Model* find_model(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(std::begin(rows), std::end(rows), [&](const Model& model) { return model.name == name; });
  return found == std::end(rows) ? nullptr : found;
}

Workload make_workload(const Model& model, const Options& options) {
  expect_positive(options.ranks, "--ranks");
  expect_positive(options.data, "--data");
  expect_positive(options.tensor, "--tensor");
  expect_positive(options.pipeline, "--pipeline");
  expect_positive(options.expert, "--expert");
  expect_positive(options.context, "--context");
  expect_positive(options.chunks, "--chunks", 1, 1024);
  expect_positive(options.micro_batches, "--micro-batches");
  expect_positive(options.micro_batch, "--micro-batch");
  expect_positive(options.sequence, "--sequence", 1, 1 << 24);
  expect_positive(options.zero, "--zero", 0, 3);
  expect_positive(options.layers, "--layers", 1, 4096);
  if (options.tflops && !(*options.tflops >= 1e-6 && *options.tflops <= 1e9))
    throw Error(Fault::usage, fmt::format("--tflops {}: expected a number from 1e-6 to 1e9", *options.tflops));
  if (options.imbalance && !(*options.imbalance >= 1 && *options.imbalance <= 2))
    throw Error(Fault::usage,
                fmt::format("--imbalance {}: expected 1 (even) to 2: largest share over the mean", *options.imbalance));
  return model.make(options);
}

}  // namespace railgauge::models

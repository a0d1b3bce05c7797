// A step of DistributedDataParallel: forward, backward bucket by bucket, each bucket's all-reduce under what follows.
#include "bench/workload/models/data_parallel.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "bench/workload/models/parameters.hpp"
#include "bench/workload/models/step.hpp"

namespace railgauge::models {
namespace {

struct Replicated {
  std::string name, item;
  std::vector<Tensor> tensors;
  int ranks = 8, samples = 1;  // samples of a rank
  Type gradients = Type::float32;
  double tflops = 1;
  std::string speed;  // where that comes from
  std::uint64_t float_buffers = 0, integer_buffers = 0;
};

constexpr const char* buffer_reason = "buffers that rank 0 broadcasts before each forward (broadcast_buffers)";

void refuse_parallel(const Options& options, const char* name) {
  if (options.tensor.value_or(1) != 1 || options.pipeline.value_or(1) != 1 || options.expert.value_or(1) != 1 ||
      options.context.value_or(1) != 1 || options.chunks.value_or(1) != 1 || options.zero.value_or(0) != 0 ||
      options.micro_batches.value_or(1) != 1 || options.layers || options.imbalance)
    throw Error(Fault::usage, fmt::format("{} is data parallel alone, with one micro-batch: leave out all but --ranks, --data, "
                                          "--micro-batch, --gradients and --tflops",
                                          name));
}

int ranks_of(const Options& options, const char* name) {
  const int ranks = options.ranks.value_or(options.data.value_or(8));
  if (options.data.value_or(ranks) != ranks)
    throw Error(Fault::usage,
                fmt::format("{} is data parallel alone: --data {} needs --ranks {}", name, *options.data, *options.data));
  return ranks;
}

void write_rank(const Replicated& model, const std::vector<Bucket>& buckets, std::vector<WorkNode>& nodes) {
  Step step(nodes, model.tflops * 1e12);
  const auto samples = static_cast<double>(model.samples);
  After ready;
  const auto broadcast = [&](const char* what, Type type, std::uint64_t elements) {
    if (elements == 0) return;
    ready = {step.call({what, buffer_reason, data, Collective::broadcast, 0, type, Op::none, elements}, std::move(ready))};
  };
  broadcast("buffers", Type::float32, model.float_buffers);
  broadcast("batch counts", Type::int64, model.integer_buffers);
  double forward = 0;
  for (const Tensor& tensor : model.tensors) forward += tensor.flops;
  std::uint32_t last = step.compute("forward", fmt::format("{:.4g} GFLOP a sample x {} samples", forward / 1e9, model.samples),
                                    forward * samples, std::move(ready));
  After reduced;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const Bucket& bucket = buckets[b];
    const std::string from = model.tensors[bucket.first].name, to = model.tensors[bucket.last - 1].name;
    last = step.compute(fmt::format("backward {}", b), fmt::format("2 x forward of {} to {}", from, to),
                        2 * bucket.flops * samples, {last});
    reduced.push_back(step.call({fmt::format("bucket {}", b),
                                 fmt::format("DDP bucket of {} gradients, {} to {}, closed at {} MiB", bucket.last - bucket.first,
                                             to, from, b == 0 ? 1 : 25),
                                 data, Collective::all_reduce, 0, model.gradients, Op::sum, bucket.elements},
                                {last}));
  }
  step.marker("optimizer", std::move(reduced));
}

Workload make_replicated(const Replicated& model, const Options& options) {
  Workload workload;
  workload.name = model.name;
  workload.ranks = model.ranks;
  workload.alike = model.ranks;
  ProcessGroup everyone{"data", "data", {}};
  for (int rank = 0; rank < model.ranks; ++rank) everyone.ranks.push_back(rank);
  workload.groups.push_back(std::move(everyone));
  const std::vector<Bucket> buckets = gradient_buckets(model.tensors, bytes_of(model.gradients));
  workload.source =
      fmt::format("{} parameters in {} tensors; data parallel over {} ranks, {} {}s a rank, gradients in {}",
                  total(model.tensors), model.tensors.size(), model.ranks, model.samples, model.item, name(model.gradients));
  workload.notes.push_back(fmt::format("computations at {:.4g} TFLOP/s a rank: {}", model.tflops, model.speed));
  workload.nodes.resize(static_cast<std::size_t>(model.ranks));
  for (int rank = 0; rank < model.ranks; ++rank)
    if (options.only_rank.value_or(rank) == rank) write_rank(model, buckets, workload.nodes[static_cast<std::size_t>(rank)]);
  workload.item = model.item;
  workload.items_per_step = static_cast<double>(model.ranks) * model.samples;
  return workload;
}

}  // namespace

Workload make_resnet50(const Options& options) {
  refuse_parallel(options, "resnet50");
  if (options.sequence) throw Error(Fault::usage, "resnet50 has images, and --sequence is of tokens: leave it out");
  Replicated model;
  model.name = "resnet50";
  model.item = "image";
  model.tensors = resnet50_tensors();
  model.ranks = ranks_of(options, "resnet50");
  model.samples = options.micro_batch.value_or(256);
  model.gradients = options.gradients.value_or(Type::float32);
  // 2470 images a second on one A100 x 3 x 8.2 GFLOP.
  model.tflops = options.tflops.value_or(60.6);
  model.speed = options.tflops ? "--tflops" : "2470 images/s of one A100 in mixed precision (NVIDIA DeepLearningExamples)";
  model.float_buffers = resnet50_float_buffers;
  model.integer_buffers = resnet50_integer_buffers;
  return make_replicated(model, options);
}

Workload make_bert_large(const Options& options) {
  refuse_parallel(options, "bert-large");
  const int sequence = options.sequence.value_or(512);
  if (sequence > 512) throw Error(Fault::usage, fmt::format("bert-large has 512 positions, and --sequence is {}", sequence));
  Replicated model;
  model.name = "bert-large";
  model.item = "sentence";
  model.tensors = bert_large_tensors(sequence);
  model.ranks = ranks_of(options, "bert-large");
  model.samples = options.micro_batch.value_or(16);
  model.gradients = options.gradients.value_or(Type::float32);
  model.tflops = options.tflops.value_or(125);
  model.speed = options.tflops ? "--tflops" : "40 % of an A100's 312 (an assumption)";
  return make_replicated(model, options);
}

}  // namespace railgauge::models

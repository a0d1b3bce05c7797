// DLRM: embedding tables on some rank each, the rest on all. M. Naumov et al., arXiv 1906.00091; shapes of MLPerf's (Criteo 1
// TB).
#include "bench/workload/models/recommendation.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"
#include "bench/workload/models/step.hpp"

namespace railgauge::models {
namespace {

constexpr std::uint64_t tables = 26, width = 128;
constexpr std::uint64_t bottom[] = {13, 512, 256, 128};
constexpr std::uint64_t top[] = {479, 1024, 1024, 512, 256, 1};  // 128 + 27 x 26 / 2 pairs
constexpr int batch = 65'536;

template <std::size_t Layers>
std::uint64_t parameters_of(const std::uint64_t (&layers)[Layers]) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < Layers; ++i) sum += layers[i] * layers[i + 1] + layers[i + 1];
  return sum;
}

std::uint64_t tables_of(int rank, int ranks) {
  return tables / static_cast<std::uint64_t>(ranks) +
         (static_cast<std::uint64_t>(rank) < tables % static_cast<std::uint64_t>(ranks) ? 1 : 0);
}

}  // namespace

Workload make_dlrm(const Options& options) {
  if (options.tensor || options.pipeline || options.expert || options.context || options.chunks || options.zero ||
      options.sequence || options.layers || options.imbalance || options.micro_batches)
    throw Error(Fault::usage,
                "dlrm has data-parallel networks and embedding tables on all ranks: leave out all but --ranks, --data, "
                "--micro-batch, --gradients and --tflops");
  const int ranks = options.ranks.value_or(options.data.value_or(8));
  if (options.data.value_or(ranks) != ranks)
    throw Error(Fault::usage, fmt::format("dlrm: --data {} needs --ranks {}", *options.data, *options.data));
  const int samples = options.micro_batch.value_or(std::max(1, batch / ranks));
  Workload workload;
  workload.name = "dlrm";
  workload.ranks = ranks;
  workload.alike = ranks;
  ProcessGroup everyone{"all", "all", {}};
  for (int rank = 0; rank < ranks; ++rank) everyone.ranks.push_back(rank);
  workload.groups.push_back(std::move(everyone));
  const std::uint64_t dense = parameters_of(bottom) + parameters_of(top);
  workload.source =
      fmt::format("{} parameters in networks, {} tables of width {}; {} samples a rank", dense, tables, width, samples);
  const double tflops = options.tflops.value_or(50);
  workload.notes.push_back(fmt::format("computations at {:.4g} TFLOP/s a rank: {}", tflops,
                                       options.tflops ? "--tflops" : "about a third of an A100's 156 in TF32 (an assumption)"));
  workload.nodes.resize(static_cast<std::size_t>(ranks));
  const Type gradients = options.gradients.value_or(Type::float32);
  for (int rank = 0; rank < ranks; ++rank) {
    if (options.only_rank.value_or(rank) != rank) continue;
    Step step(workload.nodes[static_cast<std::size_t>(rank)], tflops * 1e12);
    const auto b = static_cast<std::uint64_t>(samples);
    std::vector<std::uint64_t> mine(static_cast<std::size_t>(ranks), tables_of(rank, ranks) * b * width), theirs;
    for (int peer = 0; peer < ranks; ++peer) theirs.push_back(tables_of(peer, ranks) * b * width);
    const std::string reason = fmt::format("tables of the sender x {} samples x {}", samples, width);
    const auto flops = [&](std::uint64_t parameters) { return 2.0 * static_cast<double>(parameters) * samples; };
    const std::uint32_t looked_up =
        step.exchange({"embeddings", reason, expert, Collective::all_to_all_v, 0, Type::float32, Op::none, 0}, mine, theirs, {});
    const std::uint32_t below = step.compute("bottom network", "2 x parameters x samples", flops(parameters_of(bottom)), {});
    const std::uint32_t above =
        step.compute("interaction and top network", "2 x parameters x samples", flops(parameters_of(top)), {looked_up, below});
    const std::uint32_t back =
        step.compute("backward top network", "4 x parameters x samples", 2 * flops(parameters_of(top)), {above});
    const auto reduce = [&](const char* what, std::uint64_t elements, std::uint32_t after) {
      return step.call({what, "parameters of the network", data, Collective::all_reduce, 0, gradients, Op::sum, elements},
                       {after});
    };
    const std::uint32_t top_reduced = reduce("gradients of the top network", parameters_of(top), back);
    const std::uint32_t returned = step.exchange(
        {"embedding gradients", reason, expert, Collective::all_to_all_v, 0, Type::float32, Op::none, 0}, theirs, mine, {back});
    const std::uint32_t down =
        step.compute("backward bottom network", "4 x parameters x samples", 2 * flops(parameters_of(bottom)), {back});
    const std::uint32_t bottom_reduced = reduce("gradients of the bottom network", parameters_of(bottom), down);
    step.marker("optimizer", {top_reduced, returned, bottom_reduced});
  }
  workload.item = "sample";
  workload.items_per_step = static_cast<double>(ranks) * samples;
  return workload;
}

}  // namespace railgauge::models

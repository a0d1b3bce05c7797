// A step of all ranks; bench/workload/models/transformer.hpp.
#include "bench/workload/models/transformer.hpp"

#include <fmt/format.h>

#include "bench/workload/models/transformer_rank.hpp"

namespace railgauge::models {

Workload make_transformer(const Shape& shape, const Options& options) {
  Workload workload;
  workload.name = shape.name;
  const StepLayout layout = layout_of(shape, options, workload.notes);
  const Grid& grid = layout.grid;
  const GridGroups groups(grid, shape.tied, workload.groups);
  workload.ranks = grid.ranks();
  workload.alike = grid.stage_ranks();
  workload.source =
      fmt::format("{} parameters ({}); tensor {}, context {}, data {}, pipeline {}{}{}, {}; {} micro-batches of {} x {} tokens",
                  parameters(layout.shape), shape.source, grid.tensor, grid.context, grid.data, grid.pipeline,
                  layout.chunks > 1 ? fmt::format(" x {} chunks", layout.chunks) : "",
                  shape.experts != 0 ? fmt::format(", expert {}", grid.expert) : "",
                  layout.zero == 3   ? "FSDP (ZeRO-3)"
                  : layout.zero == 0 ? "gradients all-reduced"
                                     : fmt::format("ZeRO-{}", layout.zero),
                  layout.micro_batches, layout.micro_batch, layout.sequence);
  workload.nodes.resize(static_cast<std::size_t>(workload.ranks));
  for (int rank = 0; rank < workload.ranks; ++rank)
    if (options.only_rank.value_or(rank) == rank)
      TransformerRank(layout, groups, rank, workload.nodes[static_cast<std::size_t>(rank)]).write();
  workload.item = "token";
  workload.items_per_step = static_cast<double>(grid.data) * layout.micro_batches * layout.micro_batch * layout.sequence;
  return workload;
}

}  // namespace railgauge::models

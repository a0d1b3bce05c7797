// Schedules that send along packed trees: pipelined in chunks, at the rate that the trees were packed for.
#pragma once

#include <cstdint>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"
#include "topo/trees/trees.hpp"

namespace railgauge {

// Whether schedules along trees are known: all_gather, reduce_scatter, all_reduce, broadcast and reduce.
[[nodiscard]] bool has_tree_schedule(Collective) noexcept;

// One schedule a rank. Every tree carries an equal part of its root's data, in `chunks` chunks, of which one crosses a branch in
// each round: c + h - 1 rounds for trees of height h (twice as many for all_reduce). Blocks are numbered by root, chunk and tree.
// Of a broadcast or reduce all trees begin at its root. Precondition: at least one chunk; trees begin at all ranks or only at the
// root.
[[nodiscard]] std::vector<Schedule> tree_schedules(Collective collective, const topo::Forest& forest, std::int32_t ranks,
                                                   std::uint32_t chunks);

}  // namespace railgauge

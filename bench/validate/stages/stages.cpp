// The stages.
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr StageRow rows[] = {
    {"preflight", "what hosts say of themselves: settings, devices, versions, counters", 0.05, true, false, &run_preflight},
    {"node", "each host by itself: memory, reductions, its ranks among each other", 0.1, false, false, &run_node},
    {"pairs", "every host with many others: who, or which cable, is slower than its peers", 0.5, true, false, &run_pairs},
    {"groups", "collectives below each leaf, of each rail and pod, and of all hosts", 0.2, false, false, &run_groups},
    {"congestion", "permutations, bisection and incast, where pairs are clean", 0.15, false, false, &run_congestion},
    {"soak", "pairs for as long as the budget lasts; only where --stages names it", 1, false, true, &run_soak},
};

}  // namespace

std::span<const StageRow> stages() noexcept { return rows; }

}  // namespace railgauge::validate

// The stages.
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr StageRow rows[] = {
    {.name = "preflight",
     .summary = "what hosts say of themselves: settings, devices, versions, counters",
     .share = 0.05,
     .when_quick = true,
     .run = &run_preflight},
    {.name = "node",
     .summary = "each host by itself: memory, reductions, copies of its GPUs, its NICs, its ranks among each other",
     .share = 0.1,
     .when_alone = true,
     .run = &run_node},
    {.name = "pairs",
     .summary = "every host with many others: who, or which cable, is slower than its peers",
     .share = 0.5,
     .when_quick = true,
     .run = &run_pairs},
    {.name = "groups",
     .summary = "collectives below each leaf, of each rail and pod, and of all hosts",
     .share = 0.2,
     .thresholds = true,
     .run = &run_groups},
    {.name = "congestion",
     .summary = "permutations, bisection and incast, where pairs are clean",
     .share = 0.15,
     .run = &run_congestion},
    {.name = "workload",
     .summary = "a training step between all hosts, beside what it should take by their pairs; only with --workload",
     .share = 0.15,
     .workload = true,
     .run = &run_workload},
    {.name = "watch", .summary = "pairs for longer: who is slow at times", .share = 0.25, .when_quick = true, .run = &run_watch},
    {.name = "soak",
     .summary = "pairs for as long as the budget lasts; only where --stages names it",
     .share = 1,
     .when_asked = true,
     .run = &run_soak},
};

}  // namespace

std::span<const StageRow> stages() noexcept { return rows; }

}  // namespace railgauge::validate

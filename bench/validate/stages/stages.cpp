// The stages.
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr StageRow rows[] = {
    {"pairs", "every host with many others: who or which cable is slower than its peers", 0.6, true, false, &run_pairs},
    {"groups", "collectives of all hosts together", 0.2, false, false, &run_groups},
};

}  // namespace

std::span<const StageRow> stages() noexcept { return rows; }

}  // namespace railgauge::validate

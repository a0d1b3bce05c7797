// Rounds that a file notes beside its steps, as railgauge writes them.
#pragma once

#include <optional>

#include "bench/schedule/map/rounds.hpp"

namespace railgauge {

// Those rounds, of each rank for itself, where every step notes one and they keep the order of each thread block and whatever its
// steps wait for at this rank; nothing elsewhere. What ranks wait for each other remains to be proved.
[[nodiscard]] std::optional<ProgramRounds> noted_rounds(const StepTable& table);

}  // namespace railgauge

// From a plan that `write` made of messages back to the messages.
#pragma once

#include <optional>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// The program of which one_sided() makes exactly this plan; nothing for any other plan.
[[nodiscard]] std::optional<Program> raised(const Program& plan);

}  // namespace railgauge

// The heading of a table: what its figures are, beyond the case that they are of.
#pragma once

#include <string>

#include "reports/result.hpp"

namespace railgauge {

// heading_of() with what a reader of the figures must know: whether buffers were cold or warm and what that means, and what the
// time of a rooted collective is. heading_of() itself stays a name that tells cases apart.
[[nodiscard]] std::string title_of(const Result& result);

// "cold", "warm", or empty where nothing was measured or no data moves.
[[nodiscard]] std::string cache_state(const Result& result);
[[nodiscard]] bool moves_data(const Case& point);

}  // namespace railgauge

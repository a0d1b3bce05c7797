// What is said of a judgement as a whole.
#pragma once

#include <cstddef>
#include <string>

#include "reports/gate/judge.hpp"

namespace railgauge::gate {

inline constexpr std::size_t latest_runs = 5;  // whose median says that a level has become faster, this one among them

// By its lines, the whole, and its finding.
[[nodiscard]] std::string sentence_of(const Judgement& judgement);

}  // namespace railgauge::gate

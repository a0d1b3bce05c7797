// The schedule of trees that `railgauge synthesise` makes for a network, without a file, in as many chunks as suit each size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/predict/costing.hpp"

namespace railgauge::predict {

inline constexpr std::string_view synthesised_name = "synthesised";

struct Synthesised {
  Costed costed;
  std::int64_t trees = 0;             // of a root
  std::uint32_t height = 0;           // of the highest
  std::vector<std::uint32_t> chunks;  // of each size
};

// `sizes` are elements. A pipeline of many chunks is simulated with two smaller numbers of chunks of the same size, and the rest
// takes as long as those by which they differ (Method::continued).
[[nodiscard]] Synthesised cost_synthesised(const Costing& costing, Collective collective,
                                           const std::vector<std::uint64_t>& sizes);

}  // namespace railgauge::predict

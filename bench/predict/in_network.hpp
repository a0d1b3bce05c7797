// All-reduces in which switches add: NVSwitches (NVLS) and, between machines, those of the fabric (SHARP). They are NCCL's, and
// have no schedule here: their time is a formula of the links (topo/expect/expect.hpp) and of NCCL's own constants.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/predict/costing.hpp"
#include "topo/graph.hpp"

namespace railgauge::predict {

inline constexpr std::array<std::string_view, 3> in_network_names{"nvls", "nvls_tree", "sharp"};
[[nodiscard]] bool is_in_network(std::string_view algorithm) noexcept;

// What is computed stands in `assumed`, a line each; a refusal says what the hardware lacks, or that `collective` has none.
struct InNetwork {
  Costed costed;
  std::vector<std::string> assumed;
};
[[nodiscard]] InNetwork cost_in_network(const topo::Graph& graph, const Question& question, const Costing& costing,
                                        std::string_view algorithm, const std::vector<std::uint64_t>& elements);

}  // namespace railgauge::predict

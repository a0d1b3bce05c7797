// The numbers and names that Chakra's execution traces use, whoever reads or writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/words.hpp"

namespace railgauge::chakra {

// Types of nodes.
inline constexpr std::uint32_t metadata_node = 1, load_node = 2, store_node = 3, compute_node = 4, send_node = 5,
                               receive_node = 6, collective_node = 7;

// Collectives by their number in comm_type; reduce_scatter has two.
inline constexpr Collective collectives_by_number[] = {
    Collective::all_reduce, Collective::reduce,     Collective::all_gather,     Collective::gather,         Collective::scatter,
    Collective::broadcast,  Collective::all_to_all, Collective::reduce_scatter, Collective::reduce_scatter, Collective::barrier};

// Its number; nothing for what Chakra has no name for.
[[nodiscard]] constexpr std::optional<std::int64_t> number_of(Collective collective) {
  if (collective == Collective::all_to_all_v) collective = Collective::all_to_all;
  for (std::size_t i = 0; i < std::size(collectives_by_number); ++i)
    if (collectives_by_number[i] == collective) return static_cast<std::int64_t>(i);
  return std::nullopt;
}

// Those that ASTRA-sim runs (astra-sim/workload/Workload.cc): of a broadcast it repeats the duration, others end it.
[[nodiscard]] constexpr bool astra_runs(Collective collective) {
  return collective == Collective::all_reduce || collective == Collective::all_gather || collective == Collective::all_to_all ||
         collective == Collective::all_to_all_v || collective == Collective::reduce_scatter;
}

// The value of the header's attribute `schema` in files that railgauge wrote, whose nodes have attributes of ours besides.
inline constexpr const char* own_schema = "railgauge-1";

}  // namespace railgauge::chakra

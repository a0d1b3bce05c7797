// The shape of the control tree: the parent and children of each rank, and the next hop of a message.
#pragma once

#include <algorithm>

namespace railgauge::shape {

// 16,384 ranks are three steps from rank 0, and no rank holds more than 33 connections.
inline constexpr int fan_out = 32;

// -1 for rank 0.
[[nodiscard]] constexpr int parent(int rank) noexcept { return rank == 0 ? -1 : (rank - 1) / fan_out; }
[[nodiscard]] constexpr int first_child(int rank) noexcept { return rank * fan_out + 1; }
[[nodiscard]] constexpr int children(int rank, int size) noexcept { return std::clamp(size - first_child(rank), 0, fan_out); }

// The neighbour of `at` on the path to `to`, which is another rank.
[[nodiscard]] constexpr int next(int at, int to) noexcept {
  // Ranks grow away from rank 0, so climbing from `to` passes `at` or ends below it.
  for (int step = to; step > at; step = parent(step))
    if (parent(step) == at) return step;
  return parent(at);
}

// Whether the path from one rank to another passes `through`, ends included.
[[nodiscard]] constexpr bool passes(int from, int to, int through) noexcept {
  for (int at = from; at != to; at = next(at, to))
    if (at == through) return true;
  return to == through;
}

}  // namespace railgauge::shape

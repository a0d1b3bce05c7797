// Draws and throws injected faults.
#include "transports/memory/injection.hpp"

#include <fmt/format.h>

#include <random>

#include "base/error.hpp"

namespace railgauge::memory {

Injection::Injection(const FaultOrder& order, int rank, int size) : rank_(rank) {
  // Every rank draws the same numbers in the same order, whatever the order of the command left open.
  std::mt19937_64 random(order.seed);
  constexpr std::uint64_t first = 100;
  const std::uint64_t drawn_rank = random() % static_cast<std::uint64_t>(size);
  const std::uint64_t drawn_round = random() % first, drawn_transfer = random() % first;
  byte_ = random();
  if (order.rank && *order.rank >= size)
    throw Error(Fault::usage, fmt::format("memory.rank={}: there are {} ranks, numbered from 0", *order.rank, size));
  if (order.kind == FaultKind::none || order.rank.value_or(static_cast<int>(drawn_rank)) != rank) return;
  kind_ = order.kind;
  if (kind_ == FaultKind::die)
    fatal_post_ = order.round.value_or(drawn_round);
  else
    struck_transfer_ = order.transfer.value_or(drawn_transfer);
}

void Injection::die() const {
  throw Error(Fault::lost, fmt::format("rank {} died at round {} (injected fault)", rank_, fatal_post_));
}

}  // namespace railgauge::memory

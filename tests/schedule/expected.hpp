// What a collective must give, with numbers as data and sums as reductions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "base/words.hpp"

namespace railgauge::test {

struct OutputBlock {
  Collective collective = Collective::all_reduce;
  std::uint32_t ranks = 1, root = 0, blocks = 1;  // blocks: of the whole buffer
  std::uint32_t rank = 0, block = 0;
};

// Outside the root, a reduce and a gather give nothing.
[[nodiscard]] inline bool has_output(const OutputBlock& it) noexcept {
  return it.rank == it.root || (it.collective != Collective::reduce && it.collective != Collective::gather);
}

// The number there, where of(rank, block) is that of an input.
template <class Of>
[[nodiscard]] std::uint64_t expected(const OutputBlock& it, const Of& of) {
  const std::uint32_t part = std::max(it.blocks / it.ranks, 1U);
  const auto sum = [&](std::uint32_t block) {
    std::uint64_t all = 0;
    for (std::uint32_t rank = 0; rank < it.ranks; ++rank) all += of(rank, block);
    return all;
  };
  switch (it.collective) {
    case Collective::all_reduce:
    case Collective::reduce:
      return sum(it.block);
    case Collective::reduce_scatter:
      return sum(it.rank * part + it.block);
    case Collective::all_gather:
    case Collective::gather:
      return of(it.block / part, it.block % part);
    case Collective::all_to_all:
      return of(it.block / part, it.rank * part + it.block % part);
    case Collective::broadcast:
      return of(it.root, it.block);
    case Collective::scatter:
      return of(it.root, it.rank * part + it.block);
    case Collective::send_receive:
      return of((it.rank + it.ranks - 1) % it.ranks, it.block);
    default:
      throw std::logic_error("no algorithm of others has this collective");
  }
}

}  // namespace railgauge::test

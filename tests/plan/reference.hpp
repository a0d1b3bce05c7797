// What every rank must end with, computed slowly and plainly from everybody's inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/plan/collective_spec.hpp"
#include "bench/schedule/traffic.hpp"

namespace railgauge::test {

using Values = std::vector<std::uint32_t>;

// Element `index` of rank `rank`'s input in run `seed`.
inline std::uint32_t input_value(std::uint64_t seed, std::int32_t rank, std::size_t index) {
  std::uint64_t x =
      seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(rank) * 0xbf58476d1ce4e5b9u + index * 0x94d049bb133111ebu;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  return static_cast<std::uint32_t>(x % 1000);
}

inline Values input_of(const CollectiveSpec& spec, std::uint64_t seed, std::int32_t rank, const BlockSizes& sizes) {
  Values values(std::accumulate(sizes.input.begin(), sizes.input.end(), std::size_t{0}));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = input_value(seed, rank, i);
  (void)spec;
  return values;
}

inline std::uint32_t reduce_values(Op op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case Op::prod:
      return a * b;
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    default:
      return a + b;
  }
}

// The reduction of element `index` over all ranks; `factor` 1 or what premulsum takes, `divisor` what avg takes.
inline std::uint32_t reduced_value(const CollectiveSpec& spec, std::uint64_t seed, std::size_t index) {
  const auto scaled = [&](std::int32_t rank) {
    const std::uint32_t value = input_value(seed, rank, index);
    return spec.op == Op::premulsum ? value * (rank % 2 == 0 ? 1 : 2) : value;
  };
  std::uint32_t result = scaled(0);
  for (std::int32_t rank = 1; rank < spec.shape.ranks; ++rank) result = reduce_values(spec.op, result, scaled(rank));
  return spec.op == Op::avg ? result / static_cast<std::uint32_t>(spec.shape.ranks) : result;
}

// The output of spec.shape.rank; empty where it has none.
inline Values expected_output(const CollectiveSpec& spec, std::uint64_t seed, std::uint32_t blocks) {
  const Collective collective = spec.algorithm->collective;
  const auto sizes_of = [&](std::int32_t rank) {
    Shape shape = spec.shape;
    shape.rank = rank;
    return divide(collective, shape, blocks, spec.elements, spec.counts);
  };
  const BlockSizes mine = sizes_of(spec.shape.rank);
  Values output;
  if (!mine.has_output) return output;
  const std::int32_t me = spec.shape.rank;
  const auto start = [](const std::vector<std::size_t>& sizes, std::int32_t block) {
    return std::accumulate(sizes.begin(), sizes.begin() + block, std::size_t{0});
  };
  const auto append = [&](std::int32_t rank, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) output.push_back(input_value(seed, rank, first + i));
  };
  const std::size_t total = std::accumulate(mine.input.begin(), mine.input.end(), std::size_t{0});
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce:
      for (std::size_t i = 0; i < total; ++i) output.push_back(reduced_value(spec, seed, i));
      break;
    case Collective::reduce_scatter:
      for (std::size_t i = 0; i < mine.output[0]; ++i) output.push_back(reduced_value(spec, seed, start(mine.input, me) + i));
      break;
    case Collective::all_gather:
    case Collective::hypercube:
    case Collective::gather:
      for (std::int32_t rank = 0; rank < spec.shape.ranks; ++rank) append(rank, 0, mine.output[static_cast<std::size_t>(rank)]);
      break;
    case Collective::broadcast:
      append(spec.shape.root, 0, total);
      break;
    case Collective::scatter:
      append(spec.shape.root, start(mine.input, me), mine.output[0]);
      break;
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      for (std::int32_t rank = 0; rank < spec.shape.ranks; ++rank)
        append(rank, start(sizes_of(rank).input, me), mine.output[static_cast<std::size_t>(rank)]);
      break;
    case Collective::send_receive:
      append((me + spec.shape.ranks - 1) % spec.shape.ranks, 0, total);
      break;
    case Collective::ping_pong:
      if (me < 2) append(1 - me, 0, total);
      break;
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs:
      for (const auto& [peer, nth] : traffic(collective, spec.shape).from) {
        Shape theirs = spec.shape;
        theirs.rank = peer;
        const std::vector<Correspondence> to = traffic(collective, theirs).to;
        const auto block = std::find(to.begin(), to.end(), Correspondence{me, nth}) - to.begin();
        append(peer, static_cast<std::size_t>(block) * spec.elements, spec.elements);
      }
      break;
    case Collective::barrier:
      break;
  }
  return output;
}

}  // namespace railgauge::test

// Bruck's algorithms: log2 n rounds for any rank count, at the price of copies within the rank. Equal blocks only.
//
// All-gather: place i of rank r is to hold the block of rank r + i; in round k, ranks 2^k apart hand over all they have.
//
//   round    rank 0        rank 1        rank 2        rank 3        (places filled)
//     0      0 1           1 2           2 3           3 0           from rank r + 1
//     1      0 1 2 3       1 2 3 0       2 3 0 1       3 0 1 2       from rank r + 2, then each turns its places to blocks
//
// All-to-all: what rank r sends to rank r + i stands in place i; in round k, all places whose number has bit k move 2^k ranks on.
//
//   places          1 has bit 0      2 has bit 1      3 has both
//     round 0       +1                                +1
//     round 1                        +2               +2
//
// Jehoshua Bruck, Ching-Tien Ho, Shlomo Kipnis, Eli Upfal and Derrick Weathersby, "Efficient Algorithms for All-to-All
// Communications in Multiport Message-Passing Systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997.
#include <algorithm>
#include <bit>

#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {
using namespace phases;

// Scratch numbers its data by place here, which is as good as any numbering where all blocks are equal.
Schedule bruck_all_gather(const Shape& shape) {
  const auto n = static_cast<std::uint32_t>(shape.ranks);
  const auto me = static_cast<std::uint32_t>(shape.rank);
  Schedule schedule{n, 0, {}};
  if (n == 1) copy_only(schedule, input(0), output(0));
  if (n == 1) return schedule;
  reserve(schedule, n);
  for (std::uint32_t have = 1; have < n; have *= 2) {
    const std::uint32_t count = std::min(have, n - have);
    const auto to = static_cast<std::int32_t>((me + n - have) % n);
    const auto from = static_cast<std::int32_t>((me + have) % n);
    Round round{{send(to, have == 1 ? input(0) : scratch(0, 0, count)), receive(from, scratch(have, have, count))}, {}};
    if (have == 1) round.locals.push_back(copy(input(0), scratch(0, 0)));
    schedule.rounds.push_back(std::move(round));
  }
  std::vector<Local>& locals = schedule.rounds.back().locals;
  locals.push_back(copy(scratch(0, 0, n - me), output(me, n - me)));
  if (me != 0) locals.push_back(copy(scratch(n - me, n - me, me), output(0, me)));
  return schedule;
}

namespace {

// Places of n that have bit k: how many there are, and the how-manieth of them is `place`.
std::uint32_t places_below(std::uint32_t end, std::uint32_t k) {
  const std::uint32_t bit = 1U << k;
  const std::uint32_t whole = end / (2 * bit) * bit;
  return whole + (end % (2 * bit) > bit ? end % (2 * bit) - bit : 0);
}

}  // namespace

// The places of a round are packed together in scratch, one area a round, so that each round is one message. A block that
// arrives is copied to the area of the next bit of its place or, after its last, to the output.
Schedule bruck_all_to_all(const Shape& shape) {
  const auto n = static_cast<std::uint32_t>(shape.ranks);
  const auto me = static_cast<std::uint32_t>(shape.rank);
  Schedule schedule{n, 0, {}};
  const auto rounds = static_cast<std::uint32_t>(ceiling_log2(shape.ranks));
  std::vector<std::uint32_t> packed;  // first slot of each round's area
  packed.reserve(rounds);
  for (std::uint32_t k = 0; k < rounds; ++k) packed.push_back(reserve(schedule, places_below(n, k)));
  const std::uint32_t landing = rounds == 0 ? 0 : reserve(schedule, n / 2 + n % 2);

  Round first;
  first.locals = {copy(input(me), output(me))};
  const auto pack_own = [&](std::uint32_t k, std::vector<Local>& locals) {  // places whose first bit is k
    for (std::uint32_t place = 1U << k; place < n; place += 2U << k)
      locals.push_back(copy(input((me + place) % n), scratch(packed[k] + places_below(place, k), 0)));
  };
  if (rounds != 0) pack_own(0, first.locals);
  schedule.rounds.push_back(std::move(first));

  for (std::uint32_t k = 0; k < rounds; ++k) {
    const std::uint32_t count = places_below(n, k);
    const auto to = static_cast<std::int32_t>((me + (1U << k)) % n);
    const auto from = static_cast<std::int32_t>((me + n - (1U << k)) % n);
    Round round{{send(to, scratch(packed[k], 0, count)), receive(from, scratch(landing, 0, count))}, {}};
    if (k + 1 < rounds) pack_own(k + 1, round.locals);
    std::uint32_t slot = landing;
    for (std::uint32_t place = 1U << k; place < n; ++place) {
      if ((place >> k & 1U) == 0) continue;
      const std::uint32_t later = place >> (k + 1) << (k + 1);
      const auto next = static_cast<std::uint32_t>(std::countr_zero(later));
      const Blocks target = later == 0 ? output((me + n - place) % n) : scratch(packed[next] + places_below(place, next), 0);
      round.locals.push_back(copy(scratch(slot, 0), target));
      ++slot;
    }
    schedule.rounds.push_back(std::move(round));
  }
  return schedule;
}

}  // namespace railgauge::builders

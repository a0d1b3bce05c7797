// Binomial trees whose edges carry a whole subtree's blocks: scatter and gather, and the broadcast made of a scatter.
//
//   scatter       rank 0         rank 1      rank 2         rank 3
//     round 0     2 3 ->  (2)                2 3
//     round 1     1 ->    (1)    1           3 ->  (3)      3
//
// Gather runs the same tree backwards. The broadcast scatters and then gathers to all around a ring: Mike Barnett, Lance Shuler,
// Robert van de Geijn, Satya Gupta, David Payne and Jerrell Watts, "Interprocessor Collective Communication Library (InterCom)",
// Scalable High Performance Computing Conference, 1994.
#include <algorithm>

#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {
using namespace phases;
namespace {

// Ranks counted from the root; the subtree of a rank is the ranks from itself to the next multiple of its lowest set bit.
struct Tree {
  std::int32_t ranks, me, lowest;
  explicit Tree(const Shape& shape)
      : ranks(shape.ranks),
        me((shape.rank - shape.root + shape.ranks) % shape.ranks),
        lowest(me == 0 ? std::int32_t{1} << ceiling_log2(shape.ranks) : me & -me) {}
  [[nodiscard]] std::uint32_t size() const { return below(me, lowest); }
  [[nodiscard]] std::uint32_t below(std::int32_t member, std::int32_t width) const {
    return static_cast<std::uint32_t>(std::min(width, ranks - member));
  }
};

// The blocks of `count` ranks from the one that is `member` behind the root. Numbering passes from the last rank to rank 0, so
// these are one or two ranges; `offset` counts blocks from the first of all.
struct Piece {
  std::uint32_t first, count, offset;
};
std::vector<Piece> pieces(const Shape& shape, std::int32_t member, std::uint32_t count) {
  const auto ranks = static_cast<std::uint32_t>(shape.ranks);
  const std::uint32_t first = static_cast<std::uint32_t>(shape.root + member) % ranks;
  if (first + count <= ranks) return {{first, count, 0}};
  return {{first, ranks - first, 0}, {0, first + count - ranks, ranks - first}};
}

}  // namespace

Schedule scatter_all_gather_broadcast(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  const Tree tree(shape);
  const Subset group = everyone(shape, shape.root);
  // Blocks are numbered from the root here, so no range passes the end.
  const Buffer from = tree.me == 0 ? Buffer::input : Buffer::output;
  const auto mine = static_cast<std::uint32_t>(tree.me);
  if (tree.me != 0) {
    const std::int32_t parent = group.rank(tree.me - tree.lowest);
    schedule.rounds.push_back({{receive(parent, output(mine, tree.size()))}, {}});
  }
  for (std::int32_t distance = tree.lowest / 2; distance > 0; distance /= 2) {
    const std::int32_t child = tree.me + distance;
    if (child >= tree.ranks) continue;
    const Blocks given = in(from, static_cast<std::uint32_t>(child), tree.below(child, distance));
    schedule.rounds.push_back({{send(group.rank(child), given)}, {}});
  }
  phases::ring_all_gather(schedule, group, {}, in(from, mine));
  return schedule;
}

Schedule binomial_gather(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  const Tree tree(shape);
  const Subset group = everyone(shape, shape.root);
  const bool root = tree.me == 0;
  const auto my_rank = static_cast<std::uint32_t>(shape.rank);
  const bool leaf = tree.size() == 1;
  if (root && leaf) copy_only(schedule, input(0), output(0));
  const std::uint32_t slots = root || leaf ? 0 : reserve(schedule, tree.size());
  for (std::int32_t distance = 1; distance < tree.lowest && tree.me + distance < tree.ranks; distance *= 2) {
    const std::int32_t child = tree.me + distance;
    Round round;
    for (const Piece& piece : pieces(shape, child, tree.below(child, distance))) {
      const Blocks place = root ? output(piece.first, piece.count)
                                : scratch(slots + static_cast<std::uint32_t>(distance) + piece.offset, piece.first, piece.count);
      round.transfers.push_back(receive(group.rank(child), place));
    }
    if (distance == 1) round.locals = {copy(input(0), root ? output(my_rank) : scratch(slots, my_rank))};
    schedule.rounds.push_back(std::move(round));
  }
  if (!root) {
    Round round;
    const std::int32_t parent = group.rank(tree.me - tree.lowest);
    for (const Piece& piece : pieces(shape, tree.me, tree.size()))
      round.transfers.push_back(send(parent, leaf ? input(0) : scratch(slots + piece.offset, piece.first, piece.count)));
    schedule.rounds.push_back(std::move(round));
  }
  return schedule;
}

Schedule binomial_scatter(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  const Tree tree(shape);
  const Subset group = everyone(shape, shape.root);
  const bool root = tree.me == 0;
  const auto my_rank = static_cast<std::uint32_t>(shape.rank);
  const bool leaf = tree.size() == 1;
  if (root && leaf) copy_only(schedule, input(0), output(0));
  const std::uint32_t slots = root || leaf ? 0 : reserve(schedule, tree.size());
  if (!root) {
    Round round;
    const std::int32_t parent = group.rank(tree.me - tree.lowest);
    for (const Piece& piece : pieces(shape, tree.me, tree.size()))
      round.transfers.push_back(receive(parent, leaf ? output(0) : scratch(slots + piece.offset, piece.first, piece.count)));
    if (!leaf) round.locals = {copy(scratch(slots, my_rank), output(0))};
    schedule.rounds.push_back(std::move(round));
  }
  bool copied = !root;
  for (std::int32_t distance = tree.lowest / 2; distance > 0; distance /= 2) {
    const std::int32_t child = tree.me + distance;
    if (child >= tree.ranks) continue;
    Round round;
    for (const Piece& piece : pieces(shape, child, tree.below(child, distance))) {
      const Blocks given = root ? input(piece.first, piece.count)
                                : scratch(slots + static_cast<std::uint32_t>(distance) + piece.offset, piece.first, piece.count);
      round.transfers.push_back(send(group.rank(child), given));
    }
    if (!copied) round.locals = {copy(input(my_rank), output(0))};
    copied = true;
    schedule.rounds.push_back(std::move(round));
  }
  return schedule;
}

}  // namespace railgauge::builders

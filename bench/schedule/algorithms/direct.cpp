// Direct algorithms: every rank speaks to every other at once, in one round. Fewest rounds, most messages.
//
//   one_shot        rank 0          rank 1          rank 2          rank 3
//     round 0       a -> 1 2 3      b -> 0 2 3      c -> 0 1 3      d -> 0 1 2     then each adds up a b c d itself
//
//   two_shot        (blocks 0 to 3)
//     round 0       1 -> 1, 2 -> 2, 3 -> 3 and so on: rank r collects block r and adds it up
//     round 1       0 -> 1 2 3      1 -> 0 2 3      2 -> 0 1 3      3 -> 0 1 2
//
// Jelena Pjesivac-Grbovic, Thara Angskun, George Bosilca, Graham Fagg, Edgar Gabriel and Jack Dongarra, "Performance Analysis of
// MPI Collective Operations", Cluster Computing 10(2), 2007, which calls them linear.
#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {
using namespace phases;
namespace {

std::uint32_t block_of(std::int32_t rank) { return static_cast<std::uint32_t>(rank); }

// The other ranks, each rank beginning with its successor, so that not all speak to rank 0 first.
std::vector<std::int32_t> others(const Shape& shape) {
  const Subset group = everyone(shape, shape.rank);
  std::vector<std::int32_t> peers;
  for (std::int32_t i = 1; i < group.size; ++i) peers.push_back(group.rank(i));
  return peers;
}

// Receives block `first` from each of the others into scratch, and adds all of them and `own` up in `sum`.
void collect(Schedule& schedule, Round& round, const Shape& shape, std::uint32_t first, const Blocks& own, const Blocks& sum) {
  const std::vector<std::int32_t> peers = others(shape);
  std::uint32_t slot = reserve(schedule, static_cast<std::uint32_t>(peers.size()));
  round.locals.push_back(copy(own, sum));
  for (const std::int32_t peer : peers) {
    round.transfers.push_back(receive(peer, scratch(slot, first)));
    round.locals.push_back(reduce(scratch(slot, first), sum));
    ++slot;
  }
}

Schedule one_round(std::uint32_t blocks, Round round) { return {blocks, 0, {std::move(round)}}; }

}  // namespace

Schedule one_shot_all_reduce(const Shape& shape) {
  Schedule schedule{1, 0, {}};
  Round round;
  for (const std::int32_t peer : others(shape)) round.transfers.push_back(send(peer, input(0)));
  collect(schedule, round, shape, 0, input(0), output(0));
  schedule.rounds.push_back(std::move(round));
  return schedule;
}

Schedule two_shot_all_reduce(const Shape& shape) {
  const std::uint32_t mine = block_of(shape.rank);
  Schedule schedule{block_of(shape.ranks), 0, {}};
  Round scatter;
  for (const std::int32_t peer : others(shape)) scatter.transfers.push_back(send(peer, input(block_of(peer))));
  collect(schedule, scatter, shape, mine, input(mine), output(mine));
  schedule.rounds.push_back(std::move(scatter));
  if (shape.ranks == 1) return schedule;
  Round gather;
  for (const std::int32_t peer : others(shape)) {
    gather.transfers.push_back(send(peer, output(mine)));
    gather.transfers.push_back(receive(peer, output(block_of(peer))));
  }
  schedule.rounds.push_back(std::move(gather));
  return schedule;
}

Schedule direct_reduce_scatter(const Shape& shape) {
  const std::uint32_t mine = block_of(shape.rank);
  Schedule schedule{block_of(shape.ranks), 0, {}};
  Round round;
  for (const std::int32_t peer : others(shape)) round.transfers.push_back(send(peer, input(block_of(peer))));
  collect(schedule, round, shape, mine, input(mine), output(0));
  schedule.rounds.push_back(std::move(round));
  return schedule;
}

Schedule direct_all_gather(const Shape& shape) {
  Round round;
  for (const std::int32_t peer : others(shape)) {
    round.transfers.push_back(send(peer, input(0)));
    round.transfers.push_back(receive(peer, output(block_of(peer))));
  }
  round.locals = {copy(input(0), output(block_of(shape.rank)))};
  return one_round(block_of(shape.ranks), std::move(round));
}

Schedule direct_broadcast(const Shape& shape) {
  Round round;
  if (shape.rank == shape.root) {
    for (const std::int32_t peer : others(shape)) round.transfers.push_back(send(peer, input(0)));
    round.locals = {copy(input(0), output(0))};
  } else {
    round.transfers = {receive(shape.root, output(0))};
  }
  return one_round(1, std::move(round));
}

Schedule direct_reduce(const Shape& shape) {
  if (shape.rank != shape.root) return one_round(1, {{send(shape.root, input(0))}, {}});
  Schedule schedule{1, 0, {}};
  Round round;
  collect(schedule, round, shape, 0, input(0), output(0));
  schedule.rounds.push_back(std::move(round));
  return schedule;
}

Schedule direct_gather(const Shape& shape) {
  Round round;
  if (shape.rank == shape.root) {
    for (const std::int32_t peer : others(shape)) round.transfers.push_back(receive(peer, output(block_of(peer))));
    round.locals = {copy(input(0), output(block_of(shape.rank)))};
  } else {
    round.transfers = {send(shape.root, input(0))};
  }
  return one_round(block_of(shape.ranks), std::move(round));
}

Schedule direct_scatter(const Shape& shape) {
  Round round;
  if (shape.rank == shape.root) {
    for (const std::int32_t peer : others(shape)) round.transfers.push_back(send(peer, input(block_of(peer))));
    round.locals = {copy(input(block_of(shape.rank)), output(0))};
  } else {
    round.transfers = {receive(shape.root, output(0))};
  }
  return one_round(block_of(shape.ranks), std::move(round));
}

Schedule direct_all_to_all(const Shape& shape) {
  Round round;
  for (const std::int32_t peer : others(shape)) {
    round.transfers.push_back(send(peer, input(block_of(peer))));
    round.transfers.push_back(receive(peer, output(block_of(peer))));
  }
  round.locals = {copy(input(block_of(shape.rank)), output(block_of(shape.rank)))};
  return one_round(block_of(shape.ranks), std::move(round));
}

}  // namespace railgauge::builders

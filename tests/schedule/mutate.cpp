// One function a kind of mutation; each answers false where the schedules offer nothing to change.
#include "tests/schedule/mutate.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bench/schedule/resolved.hpp"
#include "bench/schedule/verify/unbuffered.hpp"
#include "tests/schedule/shapes.hpp"

namespace railgauge::test {
namespace {

// Where a transfer or a local stands.
struct Spot {
  std::size_t rank = 0, round = 0, index = 0;
};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // Below `end`; the standard's distributions differ between libraries.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  bool apply(Mutant& mutant) {
    switch (mutant.mutation) {
      case Mutation::drop_end:
        return drop(mutant, false);
      case Mutation::drop_transfer:
        return drop(mutant, true);
      case Mutation::swap_transfers:
        return swap(mutant);
      case Mutation::retarget_blocks:
        return retarget_blocks(mutant);
      case Mutation::retarget_peer:
        return retarget_peer(mutant);
      case Mutation::duplicate_end:
        return duplicate(mutant, false);
      case Mutation::duplicate_transfer:
        return duplicate(mutant, true);
      case Mutation::move_local:
        return move_local(mutant);
      case Mutation::drop_local:
        return drop_local(mutant);
    }
    return false;
  }

 private:
  static std::string text(const Spot& spot) {
    return "rank " + std::to_string(spot.rank) + " round " + std::to_string(spot.round) + " entry " + std::to_string(spot.index);
  }
  static std::vector<Spot> transfers(const Mutant& mutant) {
    std::vector<Spot> spots;
    for (std::size_t rank = 0; rank < mutant.schedules.size(); ++rank)
      for (std::size_t round = 0; round < mutant.schedules[rank].rounds.size(); ++round)
        for (std::size_t i = 0; i < mutant.schedules[rank].rounds[round].transfers.size(); ++i) spots.push_back({rank, round, i});
    return spots;
  }
  static std::vector<Spot> locals(const Mutant& mutant) {
    std::vector<Spot> spots;
    for (std::size_t rank = 0; rank < mutant.schedules.size(); ++rank)
      for (std::size_t round = 0; round < mutant.schedules[rank].rounds.size(); ++round)
        for (std::size_t i = 0; i < mutant.schedules[rank].rounds[round].locals.size(); ++i) spots.push_back({rank, round, i});
    return spots;
  }
  static std::vector<Transfer>& list(Mutant& mutant, const Spot& spot) {
    return mutant.schedules[spot.rank].rounds[spot.round].transfers;
  }
  static Transfer& at(Mutant& mutant, const Spot& spot) { return list(mutant, spot)[spot.index]; }

  // The other end; the schedules still match.
  static Spot counterpart(const Mutant& mutant, const Spot& spot) {
    std::vector<TransferEnds> ranks;
    for (const Schedule& schedule : mutant.schedules) {
      TransferEnds& ends = ranks.emplace_back();
      for (const Round& round : schedule.rounds) {
        for (const Transfer& transfer : round.transfers) ends.add(transfer.kind, transfer.peer);
        ends.close_round();
      }
    }
    match(ranks);
    const TransferEnd& own = ranks[spot.rank].ends[ranks[spot.rank].first[spot.round] + spot.index];
    const auto peer = static_cast<std::size_t>(own.peer);
    const std::uint32_t round = ranks[peer].ends[own.counterpart].round;
    return {peer, round, own.counterpart - ranks[peer].first[round]};
  }

  bool drop(Mutant& mutant, bool both) {
    const std::vector<Spot> spots = transfers(mutant);
    if (spots.empty()) return false;
    const Spot spot = spots[below(spots.size())];
    const Spot other = counterpart(mutant, spot);
    list(mutant, spot).erase(list(mutant, spot).begin() + static_cast<std::ptrdiff_t>(spot.index));
    if (both) list(mutant, other).erase(list(mutant, other).begin() + static_cast<std::ptrdiff_t>(other.index));
    mutant.what = "drops " + text(spot) + (both ? " and " + text(other) : "");
    return true;
  }

  bool swap(Mutant& mutant) {
    const std::vector<Spot> spots = transfers(mutant);
    if (spots.empty()) return false;
    const Spot a = spots[below(spots.size())];
    // Places within one round mean nothing, so transfers of one round exchange their blocks instead.
    std::vector<Spot> partners;
    for (const Spot& spot : spots) {
      if (spot.rank != a.rank || (spot.round == a.round && spot.index == a.index)) continue;
      if (spot.round != a.round || at(mutant, spot).kind == at(mutant, a).kind) partners.push_back(spot);
    }
    if (partners.empty()) return false;
    const Spot b = partners[below(partners.size())];
    if (a.round == b.round)
      std::swap(at(mutant, a).blocks, at(mutant, b).blocks);
    else
      std::swap(at(mutant, a), at(mutant, b));
    mutant.what = "swaps " + text(a) + " and " + text(b);
    return true;
  }

  bool retarget_blocks(Mutant& mutant) {
    const std::vector<Spot> spots = transfers(mutant);
    if (spots.empty()) return false;
    const Spot spot = spots[below(spots.size())];
    Blocks& blocks = at(mutant, spot).blocks;
    // The slot says nothing outside scratch.
    switch (below(blocks.buffer == Buffer::scratch ? 4 : 3)) {
      case 0:
        blocks.first = blocks.first == 0 || below(2) == 0 ? blocks.first + 1 : blocks.first - 1;
        break;
      case 1:
        blocks.count = blocks.count <= 1 || below(2) == 0 ? blocks.count + 1 : blocks.count - 1;
        break;
      case 2:
        blocks.buffer = static_cast<Buffer>((static_cast<std::size_t>(blocks.buffer) + 1 + below(2)) % 3);
        break;
      default:
        blocks.slot = blocks.slot == 0 || below(2) == 0 ? blocks.slot + 1 : blocks.slot - 1;
        break;
    }
    mutant.what = "retargets the blocks of " + text(spot);
    return true;
  }

  bool retarget_peer(Mutant& mutant) {
    const std::vector<Spot> spots = transfers(mutant);
    if (spots.empty() || mutant.schedules.size() < 3) return false;
    const Spot spot = spots[below(spots.size())];
    auto peer = static_cast<std::size_t>(at(mutant, spot).peer);
    while (peer == static_cast<std::size_t>(at(mutant, spot).peer) || peer == spot.rank) peer = below(mutant.schedules.size());
    at(mutant, spot).peer = static_cast<std::int32_t>(peer);
    mutant.what = "sends " + text(spot) + " to rank " + std::to_string(peer);
    return true;
  }

  bool duplicate(Mutant& mutant, bool both) {
    const std::vector<Spot> spots = transfers(mutant);
    if (spots.empty()) return false;
    const Spot spot = spots[below(spots.size())];
    const Spot other = counterpart(mutant, spot);
    const Transfer again = at(mutant, spot);
    const std::size_t rounds = mutant.schedules[spot.rank].rounds.size();
    const std::size_t round = both ? spot.round : below(rounds);
    mutant.schedules[spot.rank].rounds[round].transfers.push_back(again);
    if (both) list(mutant, other).push_back(at(mutant, other));
    mutant.what = "repeats " + text(spot) + " in round " + std::to_string(round) + (both ? ", and " + text(other) : "");
    return true;
  }

  bool move_local(Mutant& mutant) {
    const std::vector<Spot> spots = locals(mutant);
    if (spots.empty()) return false;
    const Spot spot = spots[below(spots.size())];
    std::vector<Round>& rounds = mutant.schedules[spot.rank].rounds;
    const Local local = rounds[spot.round].locals[spot.index];
    rounds[spot.round].locals.erase(rounds[spot.round].locals.begin() + static_cast<std::ptrdiff_t>(spot.index));
    const std::size_t round = below(rounds.size());
    const std::size_t index = below(rounds[round].locals.size() + 1);
    rounds[round].locals.insert(rounds[round].locals.begin() + static_cast<std::ptrdiff_t>(index), local);
    mutant.what = "moves local " + text(spot) + " to " + text({spot.rank, round, index});
    return true;
  }

  bool drop_local(Mutant& mutant) {
    const std::vector<Spot> spots = locals(mutant);
    if (spots.empty()) return false;
    const Spot spot = spots[below(spots.size())];
    std::vector<Local>& list = mutant.schedules[spot.rank].rounds[spot.round].locals;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(spot.index));
    mutant.what = "drops local " + text(spot);
    return true;
  }

  std::mt19937_64 random_;
};

bool same(const ResolvedSchedule& a, const ResolvedSchedule& b) {
  const auto same_message = [](const ResolvedMessage& x, const ResolvedMessage& y) {
    return x.kind == y.kind && x.peer == y.peer && x.range == y.range;
  };
  const auto same_local = [](const ResolvedLocal& x, const ResolvedLocal& y) {
    return x.kind == y.kind && x.source == y.source && x.target == y.target;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const ResolvedRound& x, const ResolvedRound& y) {
    return std::equal(x.messages.begin(), x.messages.end(), y.messages.begin(), y.messages.end(), same_message) &&
           std::equal(x.locals.begin(), x.locals.end(), y.locals.begin(), y.locals.end(), same_local);
  });
}

// Whether the mutant does anything else than the original: in place, a copy onto itself does nothing wherever it stands.
bool differs(const Mutant& mutant, const std::vector<Schedule>& original) {
  constexpr std::uint64_t elements = 2520;  // divides by 2 to 9
  Shape shape = mutant.shape;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) {
    const Schedule& before = original[static_cast<std::size_t>(shape.rank)];
    const Schedule& after = mutant.schedules[static_cast<std::size_t>(shape.rank)];
    if (before == after) continue;
    const auto resolved = [&](const Schedule& schedule) {
      const BlockSizes sizes = divide(mutant.algorithm->collective, shape, before.blocks, elements);
      return resolve(schedule, Layout(mutant.algorithm->collective, shape, sizes, {&schedule, 1}, mutant.in_place, 1), 0, 1);
    };
    try {
      if (!same(resolved(before), resolved(after))) return true;
    } catch (const std::logic_error&) {  // names blocks that do not exist
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view name(Mutation mutation) {
  constexpr std::array<std::string_view, mutation_count> names{"drop one end",        "drop both ends", "swap transfers",
                                                               "retarget blocks",     "retarget peer",  "duplicate one end",
                                                               "duplicate both ends", "move local",     "drop local"};
  return names[static_cast<std::size_t>(mutation)];
}

std::vector<Mutant> mutants(std::uint64_t seed, std::size_t count) {
  Mutator mutator(seed);
  std::vector<Mutant> result;
  for (std::size_t turn = 0; result.size() < count; ++turn) {
    const Algorithm& algorithm = catalog()[turn % catalog().size()];
    const std::vector<Shape> shapes = shapes_of(algorithm, static_cast<std::int32_t>(2 + mutator.below(8)));
    if (shapes.empty()) continue;
    Mutant mutant;
    mutant.algorithm = &algorithm;
    mutant.shape = shapes[mutator.below(shapes.size())];
    mutant.in_place = algorithm.in_place && mutator.below(2) == 0;
    mutant.mutation = static_cast<Mutation>(mutator.below(mutation_count));
    const std::vector<Schedule> original = build_all(algorithm, mutant.shape);
    mutant.schedules = original;
    if (mutator.apply(mutant) && differs(mutant, original)) result.push_back(std::move(mutant));
  }
  return result;
}

Findings verify(const Mutant& mutant) {
  VerifyOptions options;
  options.in_place = mutant.in_place;
  if (mutant.algorithm->equal_blocks) options.sizes = Sizes::equal;
  return railgauge::verify(mutant.algorithm->collective, mutant.schedules, mutant.shape, options);
}

}  // namespace railgauge::test

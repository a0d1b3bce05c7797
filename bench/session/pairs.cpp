// The steps and samples behind bench/session/pairs.hpp.
#include "bench/session/pairs.hpp"

#include <algorithm>

#include "bench/schedule/pairing.hpp"

namespace railgauge {

constexpr std::int32_t most_ranks_alone = 16;

PairOrder pair_order(bool oversubscribed, std::int32_t ranks) {
  return oversubscribed && ranks <= most_ranks_alone ? PairOrder::alone : PairOrder::together;
}

std::vector<PairStep> pair_steps(const Algorithm& algorithm, std::int32_t ranks, PairOrder order) {
  std::vector<std::int32_t> rounds;
  if (order == PairOrder::together) {
    for (std::int32_t round = 0; round < pairing_rounds(ranks); ++round) rounds.push_back(round);
  } else {
    for (std::int32_t one = 0; one < ranks; ++one)
      for (std::int32_t other = one + 1; other < ranks; ++other) rounds.push_back(round_of_pair(ranks, one, other));
  }
  std::vector<PairStep> steps;
  for (const std::int32_t round : rounds) {
    if (algorithm.name == "two_way") {
      steps.push_back({round, Directions::both});
    } else {
      steps.push_back({round, Directions::upward});
      steps.push_back({round, Directions::downward});
    }
  }
  return steps;
}

namespace {

// The longer of both ends' times of each sample.
std::vector<Seconds> longer(const std::vector<Seconds>& mine, const std::vector<Seconds>& theirs) {
  std::vector<Seconds> longer;
  for (std::size_t s = 0; s < std::min(mine.size(), theirs.size()); ++s) longer.push_back(std::max(mine[s], theirs[s]));
  return longer;
}

}  // namespace

std::vector<PairSamples> pair_samples(const PairStep& step, std::span<const std::vector<Seconds>> by_rank,
                                      std::span<const std::vector<Seconds>> host_by_rank) {
  Shape shape;
  shape.ranks = static_cast<std::int32_t>(by_rank.size());
  shape.directions = step.directions;
  std::vector<PairSamples> pairs;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) {
    const std::int32_t peer = partner(shape.ranks, shape.rank, step.round);
    if (peer == nobody || !sends_to(shape, peer)) continue;
    const auto from = static_cast<std::size_t>(shape.rank), to = static_cast<std::size_t>(peer);
    PairSamples pair{shape.rank, peer, {}, {}};
    for (const Seconds seconds : longer(by_rank[from], by_rank[to])) pair.seconds.push_back(seconds.count());
    if (!host_by_rank.empty()) pair.host = longer(host_by_rank[from], host_by_rank[to]);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

Measurement measurement_of(const PairSamples& pair, const Measurement& round, const Policy& policy) {
  Measurement its;
  for (const double seconds : pair.seconds) its.samples.emplace_back(seconds);
  its.host_samples = pair.host;
  its.statistics = summarise(pair.seconds, policy.confidence);
  its.batch = round.batch;
  its.warm_up = round.warm_up;
  its.checked = round.checked;
  its.reason = round.reason;
  its.converged = round.converged || decide(policy, pair.seconds, round.batch, round.elapsed).decision == Decision::converged;
  if (round.mistake && round.mistake->rank == pair.to) {
    its.mistake = round.mistake;
    its.wrong = round.mistake->wrong;
  }
  if (round.mistake) its.converged = false;
  if (its.converged) its.reason.clear();
  return its;
}

}  // namespace railgauge

// Each comparison is a win or a loss of "slow by more than counts", and Wald's sequential test of shares decides (A. Wald,
// Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16, 1945). To be named takes the mean of the odds
// of two shares, which keeps the chance of an error, as a bet that is split does (G. Shafer, Testing by betting, Journal of the
// Royal Statistical Society A 184, 2021). Who is as fast as those it is compared
// with wins less than half of the time, however wild the noise, because the order within a comparison is drawn and noise meets
// either alike. Suspects were chosen by other measurements than those that decide, so that the chance of an error is shared by
// the suspects alone to hold for all ranks and pairs (Bonferroni).
#include "reports/pairs/pair_trials.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "base/statistics/median.hpp"

namespace railgauge {
namespace {

// Ranks that are no outliers, and behind them the outliers, from the least slow on.
std::vector<int> ranks_by_trust(int ranks, const Stragglers& found) {
  std::vector<int> order;
  const auto stands_out = [&](int rank) {
    return std::any_of(found.ranks.begin(), found.ranks.end(), [&](const SlowRank& slow) { return slow.rank == rank; });
  };
  for (int rank = 0; rank < ranks; ++rank)
    if (!stands_out(rank)) order.push_back(rank);
  for (const SlowRank& slow : std::ranges::reverse_view(found.ranks)) order.push_back(slow.rank);
  return order;
}

}  // namespace

PairTrials::PairTrials(const PairMatrix& matrix, bool both_ways, const TrialOptions& options)
    : options_(options), draws_(options.seed) {
  const Stragglers found = find_stragglers(matrix, options.suspicion);
  by_trust_ = ranks_by_trust(matrix.ranks(), found);
  trusted_ = by_trust_.size() - found.ranks.size();
  const auto suspect = [&](int from, int to) {
    Trial& trial = trials_.emplace_back();
    trial.finding.from = from;
    trial.finding.to = to;
    trial.decided = trials_.size() > options_.most_suspects;
  };
  for (const SlowRank& slow : found.ranks) {
    if (slow.send || (both_ways && slow.receive)) suspect(slow.rank, -1);
    if (slow.receive && !both_ways) suspect(-1, slow.rank);
  }
  for (const SlowPair& slow : found.pairs)
    if (!both_ways || slow.from < slow.to) suspect(slow.from, slow.to);
}

std::optional<PairComparison> PairTrials::next() {
  for (std::size_t step = 0; step < trials_.size(); ++step) {
    const std::size_t trial = (turn_ + step) % trials_.size();
    if (trials_[trial].decided) continue;
    turn_ = trial + 1;
    return comparison_of(trial);
  }
  return std::nullopt;
}

// So many ranks besides these two, drawn among those that are trusted; of the others where those are too few.
std::vector<int> PairTrials::others_than(int one, int other, std::size_t count) {
  std::vector<int> good;
  for (std::size_t i = 0; i < by_trust_.size(); ++i) {
    const int rank = by_trust_[i];
    if (rank != one && rank != other && (i < trusted_ || good.size() < count)) good.push_back(rank);
  }
  compare::shuffle(std::span(good), draws_);
  good.resize(std::min(good.size(), count));
  return good;
}

PairComparison PairTrials::comparison_of(std::size_t trial) {
  const PairFinding& suspect = trials_[trial].finding;
  PairComparison comparison{trial, {}};
  std::vector<PairComparison::Term>& terms = comparison.terms;
  if (suspect.from < 0 || suspect.to < 0) {
    const int rank = std::max(suspect.from, suspect.to);
    const std::vector<int> others = others_than(rank, rank, 2);  // ranks are judged among three or more
    const int partner = others[0], control = others[1];
    terms = suspect.to < 0 ? std::vector<PairComparison::Term>{{rank, partner, 1}, {control, partner, -1}}
                           : std::vector<PairComparison::Term>{{partner, rank, 1}, {partner, control, -1}};
  } else {
    // What its ends are off when they send, or receive, to and from others is taken out.
    const std::vector<int> others = others_than(suspect.from, suspect.to, 2);
    terms = {{suspect.from, suspect.to, 1}};
    if (others.size() == 2) {
      terms.push_back({others[0], others[1], 1});
      terms.push_back({suspect.from, others[1], -1});
      terms.push_back({others[0], suspect.to, -1});
    } else if (others.size() == 1) {
      terms.push_back({suspect.from, others[0], -0.5});
      terms.push_back({others[0], suspect.to, -0.5});
    } else {
      terms.push_back({suspect.to, suspect.from, -1});
    }
  }
  compare::shuffle(std::span(terms), draws_);
  return comparison;
}

void PairTrials::add(const PairComparison& comparison, std::span<const double> seconds, Seconds now) {
  Trial& trial = trials_.at(comparison.trial);
  ++trial.tries;
  double slower = 0;
  for (std::size_t i = 0; i < comparison.terms.size(); ++i)
    slower += comparison.terms[i].weight * (i < seconds.size() && seconds[i] > 0 ? std::log(seconds[i]) : std::nan(""));
  if (!std::isfinite(slower)) {
    trial.decided = trial.tries >= 2 * options_.most_comparisons;  // what cannot be measured stays inconclusive
    return;
  }
  if (!trial.first) trial.first = now;
  trial.seen.push_back(slower);
  ++trial.finding.comparisons;
  const bool won = slower > std::log(options_.least);
  trial.finding.slower += won ? 1 : 0;
  trial.finding.ratio = std::exp(median(trial.seen));  // reorders them
  trial.log_often += std::log((won ? options_.often : 1 - options_.often) / 0.5);
  trial.log_always += std::log((won ? options_.always : 1 - options_.always) / 0.5);
  decide(trial, now - *trial.first);
}

void PairTrials::decide(Trial& trial, Seconds span) {
  const double suspects = static_cast<double>(std::min(trials_.size(), options_.most_suspects));
  const double odds = (std::exp(trial.log_often) + std::exp(trial.log_always)) / 2;
  const bool slow = odds >= suspects / options_.error;
  const auto settle = [&](PairFinding::Outcome outcome) {
    trial.finding.outcome = outcome;
    trial.decided = true;
  };
  if (slow && span >= options_.least_span && trial.finding.ratio > options_.least)
    settle(PairFinding::Outcome::slow);
  else if (trial.log_often <= std::log(options_.miss))
    settle(PairFinding::Outcome::cleared);
  else if (trial.tries >= options_.most_comparisons && !slow)
    settle(PairFinding::Outcome::inconclusive);
}

std::size_t PairTrials::undecided() const {
  return static_cast<std::size_t>(
      std::count_if(trials_.begin(), trials_.end(), [](const Trial& trial) { return !trial.decided; }));
}

std::vector<PairFinding> PairTrials::findings() const {
  std::vector<PairFinding> findings;
  for (const Trial& trial : trials_) findings.push_back(trial.finding);
  return findings;
}

}  // namespace railgauge

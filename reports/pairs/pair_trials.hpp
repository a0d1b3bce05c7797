// No rank is named for one observation: an outlier in a matrix is measured again beside others, and named only when that
// shows it each time anew. Says what to measure, takes what was measured, until each suspicion is decided. Pure arithmetic,
// explained in docs/pairs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/statistics/draws.hpp"
#include "base/units.hpp"
#include "reports/pairs/pair_matrix.hpp"
#include "reports/result.hpp"

namespace railgauge {

struct TrialOptions {
  Thresholds suspicion;                 // what is measured again
  double least = 1.2;                   // times as slow: by less nobody is slow
  double error = 0.001;                 // chance that anybody of a matrix is named who is not slower than that half of the time
  double miss = 0.01;                   // chance to clear who is slower than that `often`
  double often = 0.8;                   // share of comparisons
  double always = 0.98;                 // the share of who is slow nearly always, and so is known sooner
  std::uint64_t most_comparisons = 60;  // of one suspect; then it is inconclusive
  Seconds least_span{4};           // from the first to the last comparison of who is named: what lasts shorter is a disturbance
  std::size_t most_suspects = 16;  // at once; the others are not measured again, and inconclusive
  std::uint64_t seed = 1;
};

// Pairs that are measured one after the other, each alone, as near in time as can be.
struct PairComparison {
  struct Term {
    int from = 0, to = 0;
    double weight = 0;  // of the logarithm of its time; positive through the suspect
  };
  std::size_t trial = 0;
  std::vector<Term> terms;  // in the order in which to measure them, which is drawn
};

class PairTrials {
 public:
  // `both_ways`: the two of a pair send at the same time.
  PairTrials(const PairMatrix& matrix, bool both_ways, const TrialOptions& options = {});
  // What to measure now; suspects take turns, so that the comparisons of each are spread over time. Nothing when all is decided.
  [[nodiscard]] std::optional<PairComparison> next();
  // Of the comparison that next() gave: the time of each term, and when. A time that is no number makes the comparison void.
  void add(const PairComparison& comparison, std::span<const double> seconds, Seconds now);
  [[nodiscard]] std::size_t undecided() const;
  // Of each suspect, in the order of Stragglers: ranks by what they send and by what they receive, then pairs.
  [[nodiscard]] std::vector<PairFinding> findings() const;

 private:
  struct Trial {
    PairFinding finding;
    bool decided = false;
    double log_often = 0, log_always = 0;  // odds of slow so often against half of the time, natural logarithms
    std::uint64_t tries = 0;
    std::vector<double> seen;  // logarithms of how many times as slow
    std::optional<Seconds> first;
  };
  [[nodiscard]] PairComparison comparison_of(std::size_t trial);
  [[nodiscard]] std::vector<int> others_than(int one, int other, std::size_t count);
  void decide(Trial& trial, Seconds span);

  TrialOptions options_;
  std::vector<int> by_trust_;  // ranks: those that are no outliers, then the outliers from the least slow on
  std::size_t trusted_ = 0;    // of those
  std::vector<Trial> trials_;
  std::size_t turn_ = 0;
  compare::Draws draws_;
};

}  // namespace railgauge

// Two sides of launches against each other, case by case and altogether, and the verdict: docs/compare.md explains it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/ratio.hpp"
#include "base/units.hpp"
#include "reports/compare/side.hpp"

namespace railgauge::compare {

inline constexpr double least_band = 0.01;

struct Options {
  std::optional<double> band = std::nullopt;  // that counts as same; empty: 1 %, or twice the launch noise where that is more
  std::optional<double> launch_noise = std::nullopt;  // relative standard deviation of launches, from elsewhere
  double confidence = 0.95;
  Allowed allowed = {};
  std::uint64_t seed = 1;
};

// Times of one case, or of all together, on both sides.
struct CaseComparison {
  Key key;  // of one case
  std::size_t base_launches = 0, next_launches = 0;
  Seconds base{}, next{};                              // medians over launches
  Ratio ratio;                                         // of times: above 1 is slower
  double effect = 0;                                   // Cliff's delta of the launches' medians: above 0 is slower
  double p = 1, holm = 1, hochberg = 1;                // that the ratio lies within the band: p_within, adjusted for all cases
  std::optional<double> mann_whitney, brunner_munzel;  // p of equal launches, without any band; where they can be told
  Verdict verdict = Verdict::inconclusive;
  Verdict alone = Verdict::inconclusive;  // if there were no other cases
};

// A case that was not measured on both sides.
struct Gap {
  Key key;
  std::string base, next;  // "measured", "not there", "skipped: ..."
  bool lost = false;       // measured in base, and not in new
  bool failed = false;     // the same, because it failed there or its data was wrong
};

struct Comparison {
  std::size_t base_launches = 0, next_launches = 0;
  double band = least_band, confidence = 0.95;
  std::vector<Difference> allowed;   // what differs and was allowed to
  std::vector<CaseComparison> rows;  // in the order of the cases; none where new failed in all
  std::optional<CaseComparison>
      together;  // geometric mean of the times of all cases that every launch has; its base and next are 0
  std::vector<Gap> gaps;
  std::vector<std::string> notes;  // sentences
  Verdict verdict = Verdict::inconclusive;
  std::string because;  // a sentence
};

// Throws Error(usage) where a run is on both sides, and Error(not_comparable) where conditions differ that are not allowed to,
// and where no case was measured on both sides, unless that is because new failed.
[[nodiscard]] Comparison compare(const Side& base, const Side& next, const Options& options);

[[nodiscard]] int exit_code(const Comparison& comparison) noexcept;  // 0, 1 or 4

}  // namespace railgauge::compare

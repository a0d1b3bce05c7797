// The comparison behind reports/compare/compare.hpp.
#include "reports/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "base/statistics/adjust.hpp"
#include "base/statistics/rank_tests.hpp"

namespace railgauge::compare {
namespace {

std::string told(const std::string& value) { return value.empty() ? "nothing" : "'" + printable(value) + "'"; }

void refuse_what_differs(const std::vector<Difference>& found, const Allowed& allowed) {
  constexpr std::size_t most = 5;
  std::string sentence;
  std::size_t count = 0;
  for (const Difference& difference : found) {
    if (allowed.contains(difference.field)) continue;
    if (++count <= most)
      sentence += fmt::format("{}{} is {} and {}", count == 1 ? "" : "; ", difference.field, told(difference.base),
                              told(difference.next));
  }
  if (count == 0) return;
  if (count > most) sentence += fmt::format("; and {} more differ", count - most);
  throw Error(Fault::not_comparable, "not comparable: " + sentence + " (--allow NAME compares all the same)");
}

// The launches of a case that were measured, with their runs.
struct Measured {
  std::vector<std::string> runs;
  std::vector<Launch> launches;
  std::vector<double> medians;
};
Measured measured_of(const std::vector<Found>& found) {
  Measured measured;
  for (const Found& one : found)
    if (auto launch = launch_of(one)) {
      measured.runs.push_back(one.run);
      measured.medians.push_back(median_of(*launch));
      measured.launches.push_back(std::move(*launch));
    }
  return measured;
}

// Why a side has no time of a case.
std::string absence_of(const std::vector<Found>& found) {
  if (found.empty()) return "not there";
  const auto worst =
      std::max_element(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.status < b.status; });
  const char* const status = worst->measured() ? "without a sample" : name(worst->status);
  return worst->reason.empty() ? status : fmt::format("{}: {}", status, printable(worst->reason));
}

bool failed(const std::vector<Found>& found) {
  return std::any_of(found.begin(), found.end(),
                     [](const Found& one) { return one.status == Status::failed || one.status == Status::wrong; });
}

std::string example_of(const char* side, const Side& results) {
  if (results.cases().empty()) return fmt::format("; {} is empty", side);
  return fmt::format("; {} has {} cases, such as {}", side, results.cases().size(), line_of(results.cases().begin()->first));
}

RatioOptions ratio_options(const Options& options) {
  RatioOptions result;
  result.confidence = options.confidence;
  result.seed = options.seed;
  result.launch_noise = options.launch_noise;
  return result;
}

CaseComparison row_of(const Measured& base, const Measured& next, const Options& options, double band) {
  CaseComparison row;
  row.base_launches = base.launches.size();
  row.next_launches = next.launches.size();
  row.base = Seconds(std::exp(middle(base.medians)));
  row.next = Seconds(std::exp(middle(next.medians)));
  row.ratio = ratio_of(base.launches, next.launches, ratio_options(options));
  row.effect = cliffs_delta(base.medians, next.medians).value_or(0);
  row.p = row.holm = row.hochberg = p_within(row.ratio, band);
  if (const auto test = mann_whitney(base.medians, next.medians)) row.mann_whitney = test->p;
  if (const auto test = brunner_munzel(base.medians, next.medians)) row.brunner_munzel = test->p;
  row.alone = decide_alone(row.ratio, band);
  row.verdict = row.alone;
  return row;
}

void adjust(Comparison& comparison) {
  std::vector<double> p;
  for (const CaseComparison& row : comparison.rows) p.push_back(row.p);
  const std::vector<double> strict = holm(p), mild = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    CaseComparison& row = comparison.rows[i];
    row.holm = strict[i];
    row.hochberg = mild[i];
    row.verdict = decide(row.ratio, comparison.band, row.holm, comparison.confidence);
  }
}

// One number for each launch of a side: the mean, over the cases that all its launches have, of the logarithms of its medians.
class Together {
 public:
  explicit Together(const Side& side) {
    for (const auto& [run, file] : side.runs()) sums_[run] = 0;
  }
  [[nodiscard]] bool has_all(const Measured& measured) const { return measured.runs.size() == sums_.size(); }
  void add(const Measured& measured) {
    for (std::size_t i = 0; i < measured.runs.size(); ++i) sums_[measured.runs[i]] += measured.medians[i];
  }
  [[nodiscard]] Measured mean_of(std::size_t cases) const {
    Measured result;
    for (const auto& [run, sum] : sums_) {
      const double mean = sum / static_cast<double>(cases);
      result.runs.push_back(run);
      result.medians.push_back(mean);
      result.launches.push_back({{mean}, 1});
    }
    return result;
  }

 private:
  std::map<std::string, double> sums_;
};

std::size_t throttled_launches(const Side& side) {
  std::set<std::string> runs;
  for (const auto& [key, launches] : side.cases())
    for (const Found& one : launches)
      if (one.throttled) runs.insert(one.run);
  return runs.size();
}

void take_notes(Comparison& comparison, const Side& base, const Side& next, const Options& options) {
  const auto unknown =
      std::count_if(comparison.rows.begin(), comparison.rows.end(), [](const CaseComparison& row) { return !row.ratio.bounded; });
  if (unknown > 0)
    comparison.notes.push_back(fmt::format(
        "of {} the launches are too few, and only noise within a launch is known: two launches of the same thing differ "
        "by more. Give {} launches of one side at least, or --launch-noise where it is known from elsewhere",
        unknown == 1 ? "1 case" : fmt::format("{} cases", unknown), least_launches));
  std::vector<double> reach, launches;
  for (const CaseComparison& row : comparison.rows)
    if (row.ratio.bounded && row.verdict == Verdict::inconclusive && row.alone == Verdict::inconclusive) {
      reach.push_back(std::log(row.ratio.high / row.ratio.low) / 2);
      launches.push_back(static_cast<double>(std::min(row.base_launches, row.next_launches)));
    }
  if (!reach.empty()) {
    const double typical = middle(reach), times = typical / std::log1p(comparison.band);
    std::string hint =
        fmt::format("inconclusive intervals reach {:.1f} % to both sides (median) where {:.1f} % count as the same",
                    100 * typical, 100 * comparison.band);
    if (times > 1)
      hint += fmt::format(": some {:.0f} launches a side would decide, or a wider --band",
                          std::ceil(middle(launches) * times * times));
    comparison.notes.push_back(std::move(hint));
  }
  const auto chance = static_cast<std::size_t>(std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                                             [](const CaseComparison& row) { return row.verdict != row.alone; }));
  if (chance > 0)
    comparison.notes.push_back(
        fmt::format("marked ?: {} would count as changed alone; among {} cases one like that comes about by "
                    "chance too often",
                    chance == 1 ? "1 case" : fmt::format("{} cases", chance), comparison.rows.size()));
  const std::size_t held_base = throttled_launches(base), held_next = throttled_launches(next);
  if (held_base + held_next > 0)
    comparison.notes.push_back(
        fmt::format("clocks were throttled in {} of {} launches of base and {} of {} of new (docs/power.md)", held_base,
                    base.runs().size(), held_next, next.runs().size()));
  if (options.launch_noise)
    comparison.notes.push_back(
        fmt::format("launches are taken to differ by {:.3g} % (--launch-noise) where a side has fewer than {}",
                    100 * *options.launch_noise, least_launches));
}

void conclude(Comparison& comparison, const Options& options) {
  const auto rows = [&](Verdict verdict) {
    return std::count_if(comparison.rows.begin(), comparison.rows.end(),
                         [&](const CaseComparison& row) { return row.verdict == verdict; });
  };
  const auto all_are = [&](Verdict verdict) { return comparison.together && comparison.together->verdict == verdict; };
  const auto failed_gaps =
      std::count_if(comparison.gaps.begin(), comparison.gaps.end(), [](const Gap& gap) { return gap.failed; });
  const auto lost = std::count_if(comparison.gaps.begin(), comparison.gaps.end(), [](const Gap& gap) { return gap.lost; });
  const std::size_t cases = comparison.rows.size();
  const auto say = [&](Verdict verdict, std::string because) {
    comparison.verdict = verdict;
    comparison.because = std::move(because);
  };
  if (failed_gaps > 0)
    say(Verdict::worse,
        fmt::format("{} that base measured failed in new", failed_gaps == 1 ? "a case" : fmt::format("{} cases", failed_gaps)));
  else if (rows(Verdict::worse) > 0)
    say(Verdict::worse, fmt::format("{} of {} cases are slower", rows(Verdict::worse), cases));
  else if (all_are(Verdict::worse))
    say(Verdict::worse, "all cases together are slower");
  else if (lost > 0 && !options.allowed.contains("missing"))
    say(Verdict::inconclusive, fmt::format("{} that base measured {} missing in new (--allow missing judges the rest)",
                                           lost == 1 ? "a case" : fmt::format("{} cases", lost), lost == 1 ? "is" : "are"));
  else if (rows(Verdict::inconclusive) > 0)
    say(Verdict::inconclusive,
        fmt::format("{} of {} cases are neither shown to have changed nor to be the same", rows(Verdict::inconclusive), cases));
  else if (rows(Verdict::better) > 0)
    say(Verdict::better, fmt::format("{} of {} cases are faster, and none is slower", rows(Verdict::better), cases));
  else if (all_are(Verdict::better))
    say(Verdict::better, "all cases together are faster, and none is slower");
  else
    say(Verdict::same, fmt::format("{} within {:.3g} % of base",
                                   cases == 1 ? "the case is" : fmt::format("all {} cases are", cases), 100 * comparison.band));
}

}  // namespace

Comparison compare(const Side& base, const Side& next, const Options& options) {
  for (const auto& [run, file] : base.runs())
    if (const auto other = next.runs().find(run); other != next.runs().end())
      throw Error(Fault::usage, fmt::format("run {} is on both sides, in {} and in {}: a launch says nothing about itself",
                                            printable(run), file, other->second));
  const std::vector<Difference> found = differences(base, next);
  refuse_what_differs(found, options.allowed);

  Comparison comparison;
  comparison.base_launches = base.runs().size();
  comparison.next_launches = next.runs().size();
  comparison.allowed = found;
  comparison.confidence = options.confidence;
  comparison.band = options.band.value_or(std::max(least_band, 2 * options.launch_noise.value_or(0)));

  std::set<Key> keys;
  for (const Side* const side : {&base, &next})
    for (const auto& [key, launches] : side->cases()) keys.insert(key);
  Together base_together(base), next_together(next);
  std::size_t shared = 0;
  const std::vector<Found> nobody;
  const auto launches_of = [&](const Side& side, const Key& key) -> const std::vector<Found>& {
    const auto there = side.cases().find(key);
    return there == side.cases().end() ? nobody : there->second;
  };
  for (const Key& key : keys) {
    const std::vector<Found>&before = launches_of(base, key), &after = launches_of(next, key);
    const Measured base_times = measured_of(before), next_times = measured_of(after);
    const bool base_has = !base_times.launches.empty(), next_has = !next_times.launches.empty();
    if (!base_has && !next_has) continue;  // nobody could measure it
    const bool newly_failed = base_has && !failed(before) && failed(after);
    if (!base_has || !next_has || newly_failed)
      comparison.gaps.push_back({key, base_has ? "measured" : absence_of(before),
                                 next_has && !newly_failed ? "measured" : absence_of(after), base_has && !next_has,
                                 newly_failed});
    if (!base_has || !next_has) continue;
    CaseComparison row = row_of(base_times, next_times, options, comparison.band);
    row.key = key;
    comparison.rows.push_back(std::move(row));
    if (base_together.has_all(base_times) && next_together.has_all(next_times)) {
      base_together.add(base_times);
      next_together.add(next_times);
      ++shared;
    }
  }
  const bool broken = std::any_of(comparison.gaps.begin(), comparison.gaps.end(), [](const Gap& gap) { return gap.failed; });
  if (comparison.rows.empty() && !broken)
    throw Error(Fault::not_comparable,
                "not comparable: no case was measured on both sides" + example_of("base", base) + example_of("new", next));
  adjust(comparison);
  if (shared > 1) {
    comparison.together = row_of(base_together.mean_of(shared), next_together.mean_of(shared), options, comparison.band);
    comparison.together->base = comparison.together->next = Seconds(0);
  }
  take_notes(comparison, base, next, options);
  conclude(comparison, options);
  return comparison;
}

int exit_code(const Comparison& comparison) noexcept {
  switch (comparison.verdict) {
    case Verdict::worse:
      return static_cast<int>(Fault::below_expectation);
    case Verdict::inconclusive:
      return static_cast<int>(Fault::inconclusive);
    case Verdict::same:
    case Verdict::better:
      break;
  }
  return 0;
}

}  // namespace railgauge::compare

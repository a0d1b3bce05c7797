// A host that is slow at times is watched: how often is it low, and how often are others, at the same time, that have nothing to
// do with it? Wald's test again, of shares. Sets of cables and switches: confirm_sets.cpp.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/median.hpp"
#include "bench/validate/method/confirm.hpp"

namespace railgauge::validate {

// Of one pair: the share of its repeats, in each direction that counts, that were low.
void Confirmation::watch(Running& running, const Contrast::Term& term, std::span<const Measurement> measurements) {
  Trial& trial = trials_[running.trial];
  const Finding& finding = findings_[running.trial];
  std::map<std::pair<bool, Index>, Index> seen;                   // repeats so far: of a direction and rail
  std::map<std::pair<bool, Index>, std::vector<double>> figures;  // of a direction and repeat, or of a direction, rail and repeat
  for (const Measurement& one : measurements) {
    const bool there = one.from == term.from && one.to == term.to, back = one.from == term.to && one.to == term.from;
    if (!there && !(back && running.square.back)) continue;
    if (running.square.rail != npos && one.rail != running.square.rail) continue;
    if (!(one.gigabytes_per_second > 0) || !std::isfinite(one.gigabytes_per_second)) continue;
    const double off =
        std::log(one.gigabytes_per_second) - model_.kinds[kinds_.of(one.from, one.to, one.rail)] - model_.rails[one.rail];
    const Index repeat = seen[{back, one.rail}]++;
    figures[{back, finding.component.kind == ComponentKind::host ? repeat : repeat * fleet_.rails + one.rail}].push_back(off);
  }
  if (figures.empty()) return;
  const Steadiness& usual = finding.suspect.usual.low < 0 ? finding.suspect.usual : suspicion_.steadiness;
  double low = 0;
  for (auto& [which, values] : figures) {
    const double off = median(values);
    if (off >= usual.low) continue;
    low += 1;
    if (term.weight > 0) trial.seen.push_back(-off);
  }
  low /= static_cast<double>(figures.size());
  ++running.measured;
  if (term.weight <= 0) {
    trial.control_low += low;
    trial.controls += 1;
    return;
  }
  trial.low += low;
  trial.watched += 1;
  constexpr double least_good = 0.005, least_bad = 2, most_bad = 0.9, exaggerated = 0.7, most_step = 2;
  // What is seen of others meanwhile counts once it is more than a few pairs.
  constexpr double known_as = 10;
  const double before = finding.component.kind == ComponentKind::host ? usual.often_host : usual.often;
  const double meanwhile = (trial.control_low + known_as * before) / (trial.controls + known_as);
  const double good = std::clamp(meanwhile, least_good, most_bad / least_bad);
  const double least = finding.component.kind == ComponentKind::host || finding.component.kind == ComponentKind::nic ? 0.03 : 0;
  const double bad = std::clamp(std::max(least, exaggerated * finding.suspect.often), least_bad * good, most_bad);
  const double each = low * std::log(bad / good) + (1 - low) * std::log((1 - bad) / (1 - good));
  running.step += std::clamp(finding.suspect.looks * each, -most_step, most_step);
}

void Confirmation::evaluate_watched(const Running& running) {
  const Trial& trial = trials_[running.trial];
  Finding& finding = findings_[running.trial];
  if (running.measured < running.square.terms.size()) return;
  finding.log_odds += running.step;
  ++finding.squares;
  note_partners(running);
  finding.often = trial.watched > 0 ? trial.low / trial.watched : 0;
  std::vector<double> seen = trial.seen;
  finding.slower = seen.empty() ? 0 : -std::expm1(-median(seen));
}

}  // namespace railgauge::validate

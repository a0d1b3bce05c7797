// What is slow at times is watched: how often is it low, and how often are others, at the same time, that do not pass it? Wald's
// test again, of shares.
#include <algorithm>
#include <cmath>
#include <map>

#include "bench/validate/confirm.hpp"
#include "bench/validate/median.hpp"

namespace railgauge::validate {

// Of one pair: the share of its repeats, each way that counts, that were low.
void Confirmation::watch(Running& running, const Square::Term& term, std::span<const Measurement> measurements) {
  Trial& trial = trials_[running.trial];
  const Finding& finding = findings_[running.trial];
  std::map<std::pair<bool, Index>, Index> seen;                   // repeats so far: of a way and rail
  std::map<std::pair<bool, Index>, std::vector<double>> figures;  // of a way and repeat, or of a way, rail and repeat
  for (const Measurement& one : measurements) {
    const bool there = one.from == term.from && one.to == term.to, back = one.from == term.to && one.to == term.from;
    if (!there && !(back && running.square.back)) continue;
    if (running.square.rail != nowhere && one.rail != running.square.rail) continue;
    if (!(one.gigabytes_per_second > 0) || !std::isfinite(one.gigabytes_per_second)) continue;
    const double off =
        std::log(one.gigabytes_per_second) - model_.kinds[kinds_.of(one.from, one.to, one.rail)] - model_.rails[one.rail];
    const Index repeat = seen[{back, one.rail}]++;
    figures[{back, finding.component.part == Part::host ? repeat : repeat * fleet_.rails + one.rail}].push_back(off);
  }
  if (figures.empty()) return;
  double low = 0;
  for (auto& [which, values] : figures) {
    const double off = median(values);
    if (off >= suspicion_.steadiness.low) continue;
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
  const Steadiness& usual = suspicion_.steadiness;
  constexpr double least_good = 0.02, least_bad = 2, most_bad = 0.9, exaggerated = 0.7, most_step = 2;
  // What is seen of others meanwhile counts once it is more than a few pairs.
  constexpr double known_as = 10;
  const double before = finding.component.part == Part::host ? usual.often_host : usual.often;
  const double meanwhile = (trial.control_low + known_as * before) / (trial.controls + known_as);
  const double good = std::clamp(meanwhile, least_good, most_bad / least_bad);
  const double least = finding.component.part == Part::host || finding.component.part == Part::nic ? 0.15 : 0;
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

// Many pairs that pass it, and as many that do not: each says little. Flows of the same pair may take the same way again, so they
// are drawn anew.
std::optional<Square> Confirmation::square_of_set(std::size_t i, const std::vector<bool>& busy) {
  const Finding& finding = findings_[i];
  search_crossing(i);
  std::vector<bool> taken = busy;
  Square square;
  square.rail = finding.rail;
  constexpr std::size_t most_pairs = 16;
  const auto take = [&](const Pair& pair, double weight) {
    taken[pair.a] = taken[pair.b] = true;
    square.terms.push_back({pair.a, pair.b, 0, weight});
  };
  for (const Pair& pair : trials_[i].crossing)
    if (square.terms.size() < most_pairs && !taken[pair.a] && !taken[pair.b]) take(pair, 1);
  if (square.terms.empty()) return std::nullopt;
  const std::size_t crossing = square.terms.size();
  // First such as pass what else may explain it: if that is low as often, it is not this set.
  const std::vector<Component> alternatives = others(i);
  for (const bool telling : {true, false}) {
    const int attempts = !telling ? 400 : alternatives.empty() ? 0 : 4000;
    for (int attempt = 0; attempt < attempts && square.terms.size() < 2 * crossing; ++attempt) {
      const Pair around{random_good(), random_good()};
      if (around.a == around.b || taken[around.a] || taken[around.b]) continue;
      if (telling && touched(alternatives, around, finding.rail) == 0) continue;
      if (passes(finding.component, around.a, around.b, finding.rail) || !fit_for_use(i, around.a, around.b, finding.rail))
        continue;
      take(around, -1);
    }
  }
  return square;
}

}  // namespace railgauge::validate

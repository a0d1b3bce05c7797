// Which set has a component that is slow? Where routes are unknown, one slow cable of many makes a share of the flows slow that
// pass its set, and those of the sets beside it are nearly the same flows. So the suspect and its rivals are asked at once:
// pairs are measured that pass others of them each, and the set is faulty that explains best which flows were low (likelihood
// ratio of two shares against one), if it does so better than all others.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/statistics/median.hpp"
#include "bench/validate/method/confirm.hpp"

namespace railgauge::validate {
namespace {

struct Tally {
  double low = 0, all = 0;
  void add(const Tally& other) {
    low += other.low;
    all += other.all;
  }
  [[nodiscard]] double share() const { return all > 0 ? low / all : 0; }
  // Logarithm of the likelihood of so many, less what does not depend on the share.
  [[nodiscard]] double likelihood(double share) const {
    const double good = all - low;
    return (low > 0 ? low * std::log(share) : 0) + (good > 0 ? good * std::log1p(-share) : 0);
  }
  [[nodiscard]] double best() const { return likelihood(share()); }
};

}  // namespace

std::optional<Contrast> Confirmation::square_of_sets(std::size_t i, const std::vector<bool>& busy) {
  const Suspect& suspect = findings_[i].suspect;
  if (suspect.rail == npos) return std::nullopt;
  std::vector<Component> asked = {suspect.component};
  for (const Rival& rival : suspect.rivals) asked.push_back(rival.component);
  // By what they pass in either direction. Flows of the same pair may take the same path again, so they are drawn anew each time.
  constexpr int draws = 6000;
  constexpr std::size_t most_of_kind = 16, most_pairs = 32;
  std::map<unsigned, std::vector<Pair>> kinds;
  for (int draw = 0; draw < draws; ++draw) {
    const Pair pair{random_good(), random_good()};
    if (pair.a == pair.b || busy[pair.a] || busy[pair.b]) continue;
    unsigned passed = 0;
    for (std::size_t k = 0; k < asked.size(); ++k)
      if (passes(asked[k], pair.a, pair.b, suspect.rail) || passes(asked[k], pair.b, pair.a, suspect.rail)) passed |= 1U << k;
    std::vector<Pair>& kind = kinds[passed];
    if (kind.size() < most_of_kind && fit_for_use(i, pair.a, pair.b, suspect.rail)) kind.push_back(pair);
  }
  Contrast square;
  square.rail = suspect.rail;
  square.back = true;
  std::vector<bool> taken = busy;
  bool any = false;
  for (std::size_t turn = 0; turn < most_of_kind; ++turn)
    for (auto& [passed, pairs] : kinds) {
      while (!pairs.empty() && (taken[pairs.back().a] || taken[pairs.back().b])) pairs.pop_back();
      if (pairs.empty() || square.terms.size() == most_pairs) continue;
      const Pair pair = pairs.back();
      taken[pair.a] = taken[pair.b] = true;
      square.terms.push_back({pair.a, pair.b, 0, passed > 0 ? 1.0 : -1.0});
      any = any || (passed & 1U) != 0;
    }
  return any ? std::optional(std::move(square)) : std::nullopt;
}

void Confirmation::look(const Running& running, std::span<const Measurement> measurements) {
  Trial& trial = trials_[running.trial];
  const Suspect& suspect = findings_[running.trial].suspect;
  std::map<std::pair<Index, Index>, std::vector<double>> flows;
  for (const Contrast::Term& term : running.square.terms)
    for (const Pair& pair : {Pair{term.from, term.to}, Pair{term.to, term.from}}) flows[{pair.a, pair.b}];
  for (const Measurement& one : measurements) {
    if (one.rail != suspect.rail || !(one.gigabytes_per_second > 0) || !std::isfinite(one.gigabytes_per_second)) continue;
    const auto flow = flows.find({one.from, one.to});
    if (flow == flows.end()) continue;
    flow->second.push_back(std::log(one.gigabytes_per_second) - model_.kinds[kinds_.of(one.from, one.to, one.rail)] -
                           model_.rails[one.rail]);
  }
  for (auto& flow : flows) {
    const Index from = flow.first.first, to = flow.first.second;
    std::vector<double>& values = flow.second;
    if (values.empty()) continue;
    Look it;
    it.from = from;
    it.passed = passes(suspect.component, from, to, suspect.rail) ? 1 : 0;
    for (std::size_t k = 0; k < suspect.rivals.size(); ++k)
      if (passes(suspect.rivals[k].component, from, to, suspect.rail)) it.passed |= 2U << k;
    it.low = static_cast<double>(
                 std::count_if(values.begin(), values.end(), [&](double value) { return value < suspicion_.steadiness.low; })) /
             static_cast<double>(values.size());
    it.off = median(values);
    trial.looks.push_back(it);
  }
}

void Confirmation::evaluate_sets(std::size_t i) {
  Trial& trial = trials_[i];
  Finding& finding = findings_[i];
  const Suspect& suspect = finding.suspect;
  ++finding.squares;
  const std::size_t count = 1 + suspect.rivals.size();
  constexpr double exaggerated = 0.7, least_usual = 0.02, most_usual = 0.45, most_often = 0.9;
  std::vector<double> gains(count, 0), odds(count, 0);
  std::vector<Tally> through(count);
  for (std::size_t k = 0; k < count; ++k) {
    Tally around;
    for (const Look& it : trial.looks) ((it.passed >> k & 1U) != 0 ? through[k] : around).add({it.low, 1});
    Tally all = through[k];
    all.add(around);
    if (through[k].share() > around.share()) gains[k] = through[k].best() + around.best() - all.best();
    const double usual = std::clamp(around.share(), least_usual, most_usual);
    const double looked = exaggerated * (k == 0 ? suspect.often : suspect.rivals[k - 1].often);
    const double often = std::clamp(looked, 2 * usual, most_often);
    odds[k] = through[k].likelihood(often) - through[k].likelihood(usual);
  }
  const auto best = static_cast<std::size_t>(std::max_element(gains.begin(), gains.end()) - gains.begin());
  double second = 0;
  for (std::size_t k = 0; k < count; ++k)
    if (k != best) second = std::max(second, gains[k]);

  finding.component = best == 0 ? suspect.component : suspect.rivals[best - 1].component;
  finding.rail = suspect.rail;
  finding.often = through[best].share();
  finding.log_odds = std::min(gains[best], count > 1 ? gains[best] - second : gains[best]);
  std::set<Index> partners;
  std::vector<double> low;
  for (const Look& it : trial.looks) {
    if ((it.passed >> best & 1U) == 0) continue;
    partners.insert(it.from);
    if (it.off < suspicion_.steadiness.low) low.push_back(it.off);
  }
  finding.partners = static_cast<Index>(partners.size());
  finding.slower = low.empty() ? 0 : -std::expm1(median(low));

  constexpr double chance_of_another = 0.002, miss = 0.01;
  const bool slow = gains[best] >= std::log((1 - options_.miss) / options_.error);
  const bool told = gains[best] - second >= std::log(1 / chance_of_another);
  const double most_odds = *std::max_element(odds.begin(), odds.end());
  // A share of the flows says less than a component that is always slow.
  constexpr Index as_many_again = 2;
  const bool last = trial.tries >= as_many_again * options_.most_squares;
  if (slow && told && finding.partners >= options_.least_partners) {
    finding.outcome = Outcome::faulty;
  } else if (most_odds <= std::log(miss) || (last && most_odds <= 0)) {
    finding.outcome = Outcome::cleared;
    finding.component = suspect.component;
  } else if (last) {
    finding.component = suspect.component;
    finding.reason = trial.looks.empty()                          ? "hosts that were to be measured through it did not answer"
                     : slow && !told                              ? "it could not be told from what else the same flows pass"
                     : finding.partners < options_.least_partners ? "it could be seen with too few hosts that are proven good"
                                                                  : "measured again it was slow at times and at times not";
  } else {
    return;
  }
  trial.decided = true;
}

}  // namespace railgauge::validate

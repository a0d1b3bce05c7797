// A square is a comparison in which one end is swapped. Of a suspected host S with good hosts B, C, D:
//
//     first  S - B   D - C        then  S - C   D - B        (S B + S C - D B - D C) / 2
//
// S in place of D with the same two partners: what is left is S alone. Of a cable that A uses to reach B, and to reach nobody
// else of these:
//
//     first  A - B   D - C        then  A - C   D - B         A B + D C - A C - D B
//
// in which each host is counted once with and once without: what is left is the path from A to B.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/validate/method/confirm.hpp"

namespace railgauge::validate {

bool Confirmation::passes(const Component& component, Index from, Index to, Index rail) {
  hops_.clear();
  if (fleet_.route) fleet_.route(from, to, rail, hops_);
  return crosses(fleet_, component, from, to, rail, hops_);
}

// A level of such pairs is known, and they pass no other component that is suspected or faulty.
bool Confirmation::fit_for_use(std::size_t trial, Index from, Index to, Index rail) {
  const auto fits = [&](Index one) {
    if (!std::isfinite(model_.kinds[kinds_.of(from, to, one)])) return false;
    for (std::size_t other = 0; other < findings_.size(); ++other) {
      if (other == trial || findings_[other].outcome == Outcome::cleared || at_host(findings_[other].component)) continue;
      if (passes(findings_[other].component, from, to, one)) return false;
    }
    return true;
  };
  if (rail != npos) return fits(rail);
  for (Index one = 0; one < fleet_.rails; ++one)
    if (!fits(one)) return false;
  return true;
}

// Of the mean over what a square takes of one pair.
double Confirmation::error_of(bool back, Index rail) const {
  const std::size_t rails = rail == npos ? fleet_.rails : 1;
  return std::max(finest, std::sqrt(model_.spread.of_mean(rails, back ? rails : 0)));
}

Index Confirmation::random_good() { return suspicion_.good[draws_.below(suspicion_.good.size())]; }

std::optional<Contrast> Confirmation::square_for(std::size_t trial, const std::vector<bool>& busy) {
  if (suspicion_.good.size() < options_.least_partners) return std::nullopt;
  const Component& component = findings_[trial].component;
  if (at_host(component)) return square_of_host(trial, busy);
  if (of_sets(trial)) return square_of_sets(trial, busy);
  // Of what is slow at times the share of low measurements counts: of what passes it, and of others at the same time.
  return at_cable(component) && !at_times(trial) ? square_of_cable(trial, busy) : square_of_switch(trial, busy);
}

std::optional<Contrast> Confirmation::square_of_host(std::size_t i, const std::vector<bool>& busy) {
  const Trial& trial = trials_[i];
  const Component& it = findings_[i].component;
  const Index suspect = it.at;
  if (busy[suspect]) return std::nullopt;
  // Those that are near come first, since less lies between, and of these who was not seen yet. As long as too few were seen, who
  // was not seen yet comes before all others: below a small leaf nobody is left.
  const bool few = trial.partners.size() < options_.least_partners;
  const Index rail = it.kind == ComponentKind::nic ? it.rail : npos;
  std::vector<Index> partners;
  for (const Index host : suspicion_.good)
    if (host != suspect && !busy[host] && fit_for_use(i, suspect, host, rail)) partners.push_back(host);
  for (std::size_t n = partners.size(); n > 1; --n) std::swap(partners[n - 1], partners[draws_.below(n)]);
  const auto rank = [&](Index host) {
    const bool seen = std::find(trial.partners.begin(), trial.partners.end(), host) != trial.partners.end();
    const bool far = distance(fleet_, suspect, host, rail == npos ? 0 : rail) != Distance::leaf;
    return (far ? 2 : 0) + (seen ? (few ? 4 : 1) : 0);
  };
  std::stable_sort(partners.begin(), partners.end(), [&](Index a, Index b) { return rank(a) < rank(b); });
  for (std::size_t b = 0; b < partners.size(); ++b)
    for (std::size_t c = b + 1; c < partners.size(); ++c) {
      for (const Index stand_in : partners) {
        if (stand_in == partners[b] || stand_in == partners[c] || fleet_.hosts[stand_in].model != fleet_.hosts[suspect].model)
          continue;
        if (!fit_for_use(i, stand_in, partners[b], rail) || !fit_for_use(i, stand_in, partners[c], rail)) continue;
        Contrast square;
        square.terms = {{suspect, partners[b], 0, 0.5},
                        {stand_in, partners[c], 0, -0.5},
                        {suspect, partners[c], 1, 0.5},
                        {stand_in, partners[b], 1, -0.5}};
        if (it.direction == Direction::in)
          for (Contrast::Term& term : square.terms) std::swap(term.from, term.to);
        square.back = it.direction == Direction::both;
        square.rail = rail;
        square.error = error_of(square.back, rail);
        return square;
      }
      if (c > b + 8) break;
    }
  return std::nullopt;
}

// What else explains the same measurements.
std::vector<Component> Confirmation::others(std::size_t i) const {
  std::vector<Component> all;
  const Finding& finding = findings_[i];
  if (!(finding.component == finding.suspect.component)) all.push_back(finding.suspect.component);
  for (const Rival& rival : finding.suspect.rivals)
    if (!(finding.component == rival.component)) all.push_back(rival.component);
  return all;
}

// So many of them that what the pair measures may be their doing: a host whichever direction of it is suspected.
std::ptrdiff_t Confirmation::touched(const std::vector<Component>& alternatives, const Pair& pair, Index rail) {
  return std::count_if(alternatives.begin(), alternatives.end(), [&](const Component& other) {
    return at_host(other) ? other.at == pair.a || other.at == pair.b : passes(other, pair.a, pair.b, rail);
  });
}

// Pairs that pass it, by drawing: in a large fleet few of millions do. Good hosts, and those that are rivals of a cable: routes
// by destination may lead to a single host. Of those drawn, those that touch the fewest rivals: others would not tell it
// from them.
void Confirmation::search_crossing(std::size_t i) {
  constexpr std::size_t enough = 32;
  constexpr int draws = 400'000, further_draws = 100'000;  // to find some; to find better ones, once there are enough
  Trial& trial = trials_[i];
  trial.searched = true;
  trial.crossing.clear();
  const Finding& finding = findings_[i];
  if (finding.rail == npos) return;
  const std::vector<Component> alternatives = others(i);
  std::vector<Index> doubted;
  for (const Component& other : alternatives)
    if (at_cable(finding.component) && at_host(other)) doubted.push_back(other.at);
  const auto end = [&] {
    return !doubted.empty() && draws_.below(3) == 0 ? doubted[draws_.below(doubted.size())] : random_good();
  };
  std::vector<std::ptrdiff_t> rivals_of;  // each in `crossing`
  auto worst = rivals_of.end();
  int last = draws;
  for (int draw = 0; draw < last; ++draw) {
    const Pair pair{end(), end()};
    if (pair.a == pair.b || !passes(finding.component, pair.a, pair.b, finding.rail)) continue;
    const std::ptrdiff_t rivals = touched(alternatives, pair, finding.rail);
    const bool full = trial.crossing.size() == enough;
    if (full && rivals >= *worst) continue;
    if (std::find(trial.crossing.begin(), trial.crossing.end(), pair) != trial.crossing.end()) continue;
    if (!fit_for_use(i, pair.a, pair.b, finding.rail)) continue;
    if (full) {
      trial.crossing[static_cast<std::size_t>(worst - rivals_of.begin())] = pair;
      *worst = rivals;
    } else {
      trial.crossing.push_back(pair);
      rivals_of.push_back(rivals);
      if (trial.crossing.size() < enough) continue;
      last = std::min(draws, draw + further_draws);
    }
    worst = std::max_element(rivals_of.begin(), rivals_of.end());
    if (*worst == 0) break;
  }
}

// Those that can be measured now: first from hosts that have not sent through it yet, and that pass little else that is doubted.
std::vector<Pair> Confirmation::crossing_in_order(std::size_t i, const std::vector<bool>& busy) {
  const Trial& trial = trials_[i];
  std::vector<Pair> pairs;
  const std::vector<Component> alternatives = others(i);
  for (std::size_t n = 0; n < trial.crossing.size(); ++n) {
    const Pair& pair = trial.crossing[(trial.tries + n) % trial.crossing.size()];
    if (!busy[pair.a] && !busy[pair.b]) pairs.push_back(pair);
  }
  const auto rank = [&](const Pair& pair) {
    const bool seen = std::find(trial.partners.begin(), trial.partners.end(), pair.a) != trial.partners.end();
    return touched(alternatives, pair, findings_[i].rail) + (seen ? 100 : 0);
  };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) { return rank(a) < rank(b); });
  return pairs;
}

std::optional<Contrast> Confirmation::square_of_cable(std::size_t i, const std::vector<bool>& busy) {
  if (!trials_[i].searched) search_crossing(i);
  const Finding& finding = findings_[i];
  const Index rail = finding.rail;
  const std::vector<Component> alternatives = others(i);
  std::optional<Contrast> best;
  std::size_t best_told = 0;
  int tried = 0;
  for (const Pair& pair : crossing_in_order(i, busy)) {
    constexpr int attempts = 200, enough_pairs = 8;
    if (best && (best_told > alternatives.size() || ++tried == enough_pairs)) break;
    for (int attempt = 0; attempt < attempts && best_told <= alternatives.size(); ++attempt) {
      const Index far = random_good(), near = random_good();
      if (far == near || far == pair.a || far == pair.b || near == pair.a || near == pair.b || busy[far] || busy[near]) continue;
      const Pair around[] = {{pair.a, far}, {near, pair.b}, {near, far}};
      if (std::any_of(std::begin(around), std::end(around), [&](const Pair& it) {
            return passes(finding.component, it.a, it.b, rail) || !fit_for_use(i, it.a, it.b, rail);
          }))
        continue;
      // This square does not tell it from what would look the same.
      std::size_t told = 1;
      for (const Component& other : alternatives) {
        const auto passed = [&](const Pair& it) { return passes(other, it.a, it.b, rail) ? 1 : 0; };
        if (passed(pair) - passed(around[0]) - passed(around[1]) + passed(around[2]) <= 0) ++told;
      }
      if (told <= best_told) continue;
      best_told = told;
      best = Contrast{};
      best->terms = {{pair.a, pair.b, 0, 1}, {near, far, 0, 1}, {pair.a, far, 1, -1}, {near, pair.b, 1, -1}};
      best->rail = rail;
      best->error = 2 * error_of(false, rail);
    }
  }
  return best;
}

std::optional<Contrast> Confirmation::square_of_switch(std::size_t i, const std::vector<bool>& busy) {
  if (!trials_[i].searched) search_crossing(i);
  const Finding& finding = findings_[i];
  const Index rail = finding.rail;
  for (const Pair& pair : crossing_in_order(i, busy)) {
    constexpr int attempts = 200;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const Pair around{random_good(), random_good()};
      if (around.a == around.b || busy[around.a] || busy[around.b]) continue;
      if (around.a == pair.a || around.a == pair.b || around.b == pair.a || around.b == pair.b) continue;
      if (passes(finding.component, around.a, around.b, rail) || !fit_for_use(i, around.a, around.b, rail)) continue;
      Contrast square;
      square.terms = {{pair.a, pair.b, 0, 1}, {around.a, around.b, 0, -1}};
      square.rail = rail;
      square.error = std::numbers::sqrt2 * error_of(false, rail);
      return square;
    }
  }
  return std::nullopt;
}

}  // namespace railgauge::validate

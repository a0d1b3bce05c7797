// The period is the one at whose phase low looks agree most (Rayleigh's test of directions: N. Fisher, Statistical analysis of
// circular data, Cambridge 1993), each run of low looks counted once.
#include "bench/validate/method/spells.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/statistics/median.hpp"

namespace railgauge::validate {
namespace {

// How far phases agree: 1 all, 0 not at all.
template <class Chosen>
double agreement(std::span<const Look> looks, double frequency, Chosen chosen) {
  double x = 0, y = 0, count = 0;
  for (const Look& look : looks) {
    if (!chosen(look)) continue;
    const double phase = 2 * std::numbers::pi * frequency * look.at.count();
    x += std::cos(phase);
    y += std::sin(phase);
    count += 1;
  }
  return count > 0 ? std::hypot(x, y) / count : 0;
}

Index runs_of(std::span<const Look> looks) {
  Index count = 0;
  bool before = false;
  for (const Look& look : looks) {
    if (look.low && !before) ++count;
    before = look.low;
  }
  return count;
}

}  // namespace

std::optional<Seconds> period_of(std::span<const Look> looks) {
  const Index runs = runs_of(looks);
  constexpr Index fewest = 4;
  if (runs < fewest || looks.size() < 2) return std::nullopt;
  const double whole = (looks.back().at - looks.front().at).count();
  constexpr double shortest = 0.3;  // seconds: below that, looks are as long as the period
  // Frequencies lie so close that no phase moves by more than an eighth of a turn from one to the next.
  constexpr double fineness = 8, most_steps = 20'000;
  if (!(whole > fewest * shortest)) return std::nullopt;
  const double step = std::max(1 / (fineness * whole), 1 / shortest / most_steps);
  std::vector<std::pair<double, double>> all;  // frequency, and agreement
  double best = 0;
  const auto is_low = [](const Look& look) { return look.low; };
  for (double frequency = (fewest - 1) / whole; frequency <= 1 / shortest; frequency += step) {
    all.emplace_back(frequency, agreement(looks, frequency, is_low));
    best = std::max(best, all.back().second);
  }
  // As far as that by chance at any of so many frequencies.
  constexpr double chance = 0.01;
  const double independent = whole / shortest;
  if (independent * std::exp(-best * best * runs) > chance) return std::nullopt;
  // Short spells agree nearly as well at parts of their period: the longest is the period itself.
  constexpr double nearly = 0.85;
  double found = 0, its = 0;
  for (const auto& [frequency, agrees] : all) {
    if (found > 0 && frequency > 1.3 * found) break;
    if (agrees >= nearly * best && agrees > its) {
      found = frequency;
      its = agrees;
    }
  }
  constexpr double most_of_looks = 0.5;
  if (agreement(looks, found, [](const Look&) { return true; }) > most_of_looks * its) return std::nullopt;
  return Seconds(1 / found);
}

Spells spells_of(const Fleet& fleet, const Finding& finding, const Model& model, std::span<const Measurement> measurements) {
  const Component& it = finding.component;
  const Kinds kinds(fleet);
  std::vector<Look> looks;
  std::vector<double> low;
  for (const Measurement& one : measurements) {
    if (!crosses(fleet, it, one.from, one.to, one.rail, {})) continue;
    if (!(one.gigabytes_per_second > 0) || !std::isfinite(one.gigabytes_per_second)) continue;
    const double usual = model.kinds[kinds.of(one.from, one.to, one.rail)] + model.rails[one.rail];
    const bool is_low = std::log(one.gigabytes_per_second) - usual < finding.suspect.usual.low;
    if (is_low) low.push_back(one.gigabytes_per_second);
    looks.push_back({one.at, is_low});
  }
  Spells spells;
  if (low.empty()) return spells;
  spells.share = static_cast<double>(low.size()) / static_cast<double>(looks.size());
  spells.gigabytes_per_second = median(low);
  std::stable_sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) { return a.at < b.at; });
  spells.count = runs_of(looks);
  spells.period = period_of(looks);
  return spells;
}

}  // namespace railgauge::validate

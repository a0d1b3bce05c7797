// The period is the one at whose phase low looks agree most (Rayleigh's test of directions: N. Fisher, Statistical analysis of
// circular data, Cambridge 1993), each run of low looks counted once.
#include "bench/validate/method/spells.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "base/statistics/median.hpp"

namespace railgauge::validate {
namespace {

// How far the phases of these moments agree: 1 all, 0 not at all.
double agreement(std::span<const double> moments, double frequency) {
  double x = 0, y = 0;
  for (const double moment : moments) {
    const double phase = 2 * std::numbers::pi * frequency * moment;
    x += std::cos(phase);
    y += std::sin(phase);
  }
  return std::hypot(x, y) / static_cast<double>(moments.size());
}

// The middle of each run of low looks.
std::vector<double> middles_of(std::span<const Look> looks) {
  std::vector<double> middles;
  const Look* first = nullptr;
  const Look* last = nullptr;
  for (const Look& look : looks) {
    if (look.low) {
      if (first == nullptr) first = &look;
      last = &look;
    } else if (first != nullptr) {
      middles.push_back((first->at + last->at).count() / 2);
      first = nullptr;
    }
  }
  if (first != nullptr) middles.push_back((first->at + last->at).count() / 2);
  return middles;
}

}  // namespace

std::optional<Seconds> period_of(std::span<const Look> looks) {
  const std::vector<double> middles = middles_of(looks);
  const auto runs = static_cast<double>(middles.size());
  constexpr double fewest = 4;
  if (runs < fewest) return std::nullopt;
  std::vector<double> all;
  for (const Look& look : looks) all.push_back(look.at.count());
  const double whole = all.back() - all.front();
  // Looks may be close together in a round, with a longer gap to the next.
  std::vector<double> gaps;
  for (std::size_t i = 1; i < all.size(); ++i) gaps.push_back(all[i] - all[i - 1]);
  constexpr double finest_period = 0.3;  // seconds
  const double shortest = std::max(finest_period, 2 * median(gaps));
  if (!(whole > fewest * shortest)) return std::nullopt;
  // Frequencies lie so close that no phase moves by more than an eighth of a turn from one to the next.
  constexpr double fineness = 8, most_steps = 20'000;
  const double step = std::max(1 / (fineness * whole), 1 / shortest / most_steps);
  std::vector<std::pair<double, double>> tried;  // frequency, and agreement
  double best = 0;
  const double lowest = (fewest - 1) / whole;
  const auto steps = static_cast<std::size_t>(std::max(0.0, (1 / shortest - lowest) / step));
  for (std::size_t i = 0; i <= steps; ++i) {
    const double frequency = lowest + static_cast<double>(i) * step;
    tried.emplace_back(frequency, agreement(middles, frequency));
    best = std::max(best, tried.back().second);
  }
  // As far as that by chance at any of so many frequencies.
  constexpr double chance = 0.01;
  if (whole / shortest * std::exp(-best * best * runs) > chance) return std::nullopt;
  // Parts of the period agree nearly as well: the longest is the period itself.
  constexpr double nearly = 0.85, beyond_the_peak = 1.3;
  double found = 0, its = 0;
  for (const auto& [frequency, agrees] : tried) {
    if (found > 0 && frequency > beyond_the_peak * found) break;
    if (agrees < nearly * best || agrees <= its) continue;
    found = frequency;
    its = agrees;
  }
  constexpr double most_of_looks = 0.5;
  if (agreement(all, found) > most_of_looks) return std::nullopt;
  return Seconds(1 / found);
}

Spells spells_of(const Fleet& fleet, const Finding& finding, const Model& model, std::span<const Measurement> measurements) {
  const Component& it = finding.component;
  const Kinds kinds(fleet);
  std::vector<Look> looks;
  std::vector<double> low;
  // The parts of a transfer have as many messages each, so that a slow one stands for more of the time.
  std::map<std::tuple<Index, Index, Index, Index>, std::pair<double, double>> times;  // of a transfer: of what is low, and of all
  for (const Measurement& one : measurements) {
    if (!crosses(fleet, it, one.from, one.to, one.rail, {})) continue;
    if (!(one.gigabytes_per_second > 0) || !std::isfinite(one.gigabytes_per_second)) continue;
    const double usual = model.kinds[kinds.of(one.from, one.to, one.rail)] + model.rails[one.rail];
    const bool is_low = std::log(one.gigabytes_per_second) - usual < finding.suspect.usual.low;
    if (is_low) low.push_back(one.gigabytes_per_second);
    auto& [of_low, of_all] = times[{one.round, one.from, one.to, one.rail}];
    of_low += is_low ? 1 / one.gigabytes_per_second : 0;
    of_all += 1 / one.gigabytes_per_second;
    looks.push_back({one.at, is_low});
  }
  Spells spells;
  if (low.empty()) return spells;
  for (const auto& [transfer, its] : times) spells.share += its.first / its.second / static_cast<double>(times.size());
  spells.gigabytes_per_second = median(low);
  std::stable_sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) { return a.at < b.at; });
  spells.count = static_cast<Index>(middles_of(looks).size());
  spells.period = period_of(looks);
  return spells;
}

void describe(const Fleet& fleet, Finding& finding, const Model& model, std::span<const Measurement> measurements) {
  if (!at_host(finding.component) || finding.suspect.often >= 1) return;
  const Spells spells = spells_of(fleet, finding, model, measurements);
  finding.often = spells.share;
  finding.level = spells.gigabytes_per_second;
  finding.period = spells.period;
}

}  // namespace railgauge::validate

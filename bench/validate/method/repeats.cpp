// Medians of repeats.
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/statistics/median.hpp"
#include "bench/validate/method/unsteady.hpp"

namespace railgauge::validate {

std::vector<Measurement> medians_of(std::span<const Measurement> measurements) {
  std::map<std::tuple<Index, Index, Index, Index>, std::vector<double>> repeats;
  const auto key = [](const Measurement& it) { return std::tuple(it.round, it.from, it.to, it.rail); };
  for (const Measurement& it : measurements)
    if (it.gigabytes_per_second > 0 && std::isfinite(it.gigabytes_per_second))
      repeats[key(it)].push_back(it.gigabytes_per_second);
  std::vector<Measurement> medians;
  std::set<std::tuple<Index, Index, Index, Index>> taken;
  for (Measurement it : measurements) {
    if (!taken.insert(key(it)).second) continue;
    const auto its = repeats.find(key(it));
    if (its != repeats.end()) it.gigabytes_per_second = median(its->second);
    medians.push_back(it);
  }
  return medians;
}

}  // namespace railgauge::validate

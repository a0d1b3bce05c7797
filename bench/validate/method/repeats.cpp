// Medians of repeats.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "bench/validate/method/unsteady.hpp"

namespace railgauge::validate {

std::vector<Measurement> medians_of(std::span<const Measurement> measurements) {
  std::map<std::tuple<Index, Index, Index, Index>, std::vector<double>> repeats;
  const auto key = [](const Measurement& it) { return std::tuple(it.round, it.from, it.to, it.rail); };
  for (const Measurement& it : measurements)
    if (it.gigabytes_per_second > 0 && std::isfinite(it.gigabytes_per_second))
      repeats[key(it)].push_back(it.gigabytes_per_second);
  std::vector<Measurement> medians;
  std::map<std::tuple<Index, Index, Index, Index>, bool> taken;
  for (Measurement it : measurements) {
    if (!taken.emplace(key(it), true).second) continue;
    const auto its = repeats.find(key(it));
    if (its != repeats.end()) {
      std::vector<double>& values = its->second;
      std::sort(values.begin(), values.end());
      const std::size_t half = values.size() / 2;
      it.gigabytes_per_second = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    }
    medians.push_back(it);
  }
  return medians;
}

}  // namespace railgauge::validate

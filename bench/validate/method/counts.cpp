// Sums over rounds, and medians over rails.
#include "bench/validate/method/counts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/median.hpp"

namespace railgauge::validate {

double Count::effective(double repeats) const {
  if (rounds < 2) return rounds;
  const double mean = low / rounds, between = (squares - low * mean) / (rounds - 1), alone = mean * (1 - mean);
  const double of_round = between * repeats <= alone ? repeats : std::max(1.0, alone / between);
  return rounds * of_round;
}

double deviation(std::vector<double> values) {
  constexpr double normal_mad = 0.6744897501960817;
  const double centre = median(values);
  for (double& value : values) value = std::fabs(value - centre);
  return median(values) / normal_mad;
}

double odds_of_look(double effect, double seen, double error) {
  constexpr double most_deviation = 2, most_step = 2.5;
  return std::clamp(effect / error * std::min((seen - effect / 2) / error, most_deviation), 0.0, most_step);
}

OverRails over_rails(const Fleet& fleet, const Samples& samples, std::span<const double> single) {
  const std::vector<Sample>& list = samples.list;
  OverRails over;
  over.values.resize(list.size());
  std::vector<double> values;
  for (std::size_t first = 0; first < list.size();) {
    std::map<Index, std::vector<std::size_t>> repeats;
    std::vector<Index> seen(fleet.rails);
    std::size_t last = first;
    for (; last < list.size() && list[last].group == list[first].group && list[last].forward == list[first].forward; ++last)
      repeats[seen[list[last].rail]++].push_back(last);
    over.repeats = std::max(over.repeats, static_cast<double>(repeats.size()));
    for (const auto& [number, places] : repeats) {
      values.clear();
      for (const std::size_t place : places) values.push_back(single[place]);
      const double middle = median(values);
      for (const std::size_t place : places) over.values[place] = middle;
    }
    first = last;
  }
  return over;
}

}  // namespace railgauge::validate

// Medians and deviations by class.
#include "bench/validate/peers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace railgauge::validate {
namespace {

constexpr double normal = 1.4826;  // of a median absolute deviation
constexpr double finest = 0.005;   // no class is more alike than that, though few of its figures may be

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

double usual(std::span<const HostFigure> figures, const std::string& class_of) {
  std::vector<double> values;
  for (const HostFigure& figure : figures)
    if (figure.class_of == class_of) values.push_back(figure.value);
  return median_of(std::move(values));
}

std::vector<Behind> behind_peers(std::span<const HostFigure> figures) {
  std::map<std::string, std::vector<double>> classes;
  for (const HostFigure& figure : figures) classes[figure.class_of].push_back(figure.value);
  std::vector<Behind> behind;
  for (const auto& [name, values] : classes) {
    const double median = median_of(values);
    if (values.size() < least_peers || !(median > 0)) continue;
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(std::log(std::max(value, median * 1e-9) / median)));
    const double scale = std::max(finest, normal * median_of(deviations));
    for (const HostFigure& figure : figures) {
      if (figure.class_of != name || figure.value >= (1 - least_behind) * median) continue;
      if (std::log(median / std::max(figure.value, median * 1e-9)) > least_deviations * scale)
        behind.push_back({figure.host, figure.value, median});
    }
  }
  std::sort(behind.begin(), behind.end(), [](const Behind& a, const Behind& b) { return a.share() < b.share(); });
  return behind;
}

}  // namespace railgauge::validate

// Medians and deviations by class.
#include "bench/validate/method/peers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/median.hpp"

namespace railgauge::validate {
namespace {

constexpr double normal = 1.4826;  // of a median absolute deviation
constexpr double finest = 0.005;   // no class is more alike than that, though few of its figures may be

}  // namespace

double usual(std::span<const HostFigure> figures, const std::string& class_of) {
  std::vector<double> values;
  for (const HostFigure& figure : figures)
    if (figure.class_of == class_of) values.push_back(figure.value);
  return median(values);
}

std::vector<Behind> behind_peers(std::span<const HostFigure> figures) {
  std::map<std::string, std::vector<double>> classes;
  for (const HostFigure& figure : figures) classes[figure.class_of].push_back(figure.value);
  std::vector<Behind> behind;
  for (auto& [name, values] : classes) {
    const double middle = median(values);
    if (values.size() < least_peers || !(middle > 0)) continue;
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(std::log(std::max(value, middle * 1e-9) / middle)));
    const double scale = std::max(finest, normal * median(deviations));
    for (const HostFigure& figure : figures) {
      if (figure.class_of != name || figure.value >= (1 - least_behind) * middle) continue;
      if (std::log(middle / std::max(figure.value, middle * 1e-9)) > least_deviations * scale)
        behind.push_back({figure.host, figure.value, middle});
    }
  }
  std::sort(behind.begin(), behind.end(), [](const Behind& a, const Behind& b) { return a.share() < b.share(); });
  return behind;
}

}  // namespace railgauge::validate

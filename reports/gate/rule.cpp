// The rule behind reports/gate/rule.hpp.
#include "reports/gate/rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/statistics/ratio.hpp"
#include "reports/gate/spread.hpp"

namespace railgauge::compare {
namespace {

constexpr double median_variance = std::numbers::pi / 2;  // of n normal values, in units of that of their mean

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  for (const double value : values)
    if (std::isfinite(value)) kept.push_back(value);
  return kept;
}

}  // namespace

std::optional<Baseline> baseline_of(std::span<const double> history, const GateRule& rule) {
  std::vector<double> latest;
  for (std::size_t i = history.size(); i-- > 0 && latest.size() < rule.window;)
    if (std::isfinite(history[i])) latest.push_back(history[i]);
  if (latest.empty() || latest.size() < rule.least_history) return std::nullopt;
  Baseline baseline;
  baseline.runs = latest.size();
  baseline.centre = middle(latest);
  baseline.spread = robust_spread(latest, baseline.centre);
  return baseline;
}

bool suspected(const Baseline& baseline, double value, const GateRule& rule) {
  return std::isfinite(value) && value - baseline.centre > rule.suspect * baseline.spread;
}

double confirmation_level(const Baseline& baseline, std::size_t reruns, const GateRule& rule) {
  const double share = 1 / static_cast<double>(std::max<std::size_t>(1, reruns)) + 1 / static_cast<double>(baseline.runs);
  const double error = baseline.spread * std::sqrt(median_variance * share);
  return baseline.centre + std::max(std::log1p(rule.least_effect), rule.confirm * error);
}

bool confirmed(const Baseline& baseline, std::span<const double> reruns, const GateRule& rule) {
  std::vector<double> values = finite(reruns);
  if (values.empty()) return false;
  const std::size_t count = values.size();
  return middle(std::move(values)) > confirmation_level(baseline, count, rule);
}

Gate::Gate(std::span<const std::vector<double>> history, const GateRule& rule) : rule_(rule), among_(rule) {
  if (history.size() >= rule.least_cases) {
    among_.suspect = rule.suspect_among;
    among_.confirm = rule.confirm_among;
  }
  std::size_t runs = 0;
  for (const std::vector<double>& one : history) {
    runs = std::max(runs, one.size());
    const std::span<const double> latest = std::span(one).last(std::min(rule.window, one.size()));
    std::vector<double> values = finite(latest);
    centres_.push_back(values.empty() ? std::numeric_limits<double>::quiet_NaN() : middle(std::move(values)));
  }
  std::vector<std::vector<double>> parts(centres_.size() + 1);
  for (std::size_t run = runs - std::min(runs, rule.window); run < runs; ++run) {
    std::vector<double> times;
    for (const std::vector<double>& one : history) times.push_back(one.at(run));
    const std::vector<double> its = parted(times);
    for (std::size_t part = 0; part < parts.size(); ++part) parts[part].push_back(its[part]);
  }
  for (const std::vector<double>& part : parts) baselines_.push_back(baseline_of(part, rule));
}

std::vector<double> Gate::parted(std::span<const double> run) const {
  std::vector<double> parts, off;
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    parts.push_back(run[i] - centres_[i]);
    if (std::isfinite(parts.back())) off.push_back(parts.back());
  }
  const bool enough = off.size() >= rule_.least_cases;
  const double level = off.empty() ? std::numeric_limits<double>::quiet_NaN() : middle(std::move(off));
  if (enough)
    for (double& part : parts) part -= level;
  parts.push_back(level);
  return parts;
}

std::vector<std::size_t> Gate::suspects(std::span<const double> run) const {
  const std::vector<double> parts = parted(run);
  std::vector<std::size_t> found;
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (baselines_[part] && suspected(*baselines_[part], parts[part], part == whole() ? rule_ : among_)) found.push_back(part);
  return found;
}

std::vector<std::size_t> Gate::confirmed(std::span<const std::size_t> suspects,
                                         std::span<const std::vector<double>> reruns) const {
  std::vector<std::vector<double>> again;
  for (const std::vector<double>& rerun : reruns) again.push_back(parted(rerun));
  std::vector<std::size_t> found;
  for (const std::size_t part : suspects) {
    std::vector<double> values;
    for (const std::vector<double>& parts : again) values.push_back(parts.at(part));
    if (baselines_.at(part) && compare::confirmed(*baselines_[part], values, part == whole() ? rule_ : among_))
      found.push_back(part);
  }
  return found;
}

std::vector<std::size_t> Gate::faster(std::span<const std::vector<double>> runs) const {
  std::vector<std::vector<double>> latest;
  for (const std::vector<double>& run : runs) latest.push_back(parted(run));
  std::vector<std::size_t> found;
  for (std::size_t part = 0; part < baselines_.size(); ++part) {
    if (!baselines_[part]) continue;
    const Baseline mirrored{-baselines_[part]->centre, baselines_[part]->spread, baselines_[part]->runs};
    std::vector<double> values;
    for (const std::vector<double>& parts : latest) values.push_back(-parts[part]);
    if (compare::confirmed(mirrored, values, part == whole() ? rule_ : among_)) found.push_back(part);
  }
  return found;
}

}  // namespace railgauge::compare

// Series become trends.
#include "reports/history/trends.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>

#include "base/statistics/ratio.hpp"
#include "reports/history/check.hpp"
#include "reports/history/drift.hpp"

namespace railgauge::history {
namespace {

constexpr std::size_t most_searched = 500;  // for steps, which takes time that grows with the square of their runs
constexpr double normal_mad = 1.4826;       // standard deviation of a normal distribution over its median absolute deviation
constexpr std::size_t alone = 2;            // cases that would be looked at together: one never is

web::TrendBaseline baseline_of_points(const Series& series, const std::vector<std::size_t>& members) {
  std::vector<double> times;
  for (const std::size_t member : members)
    if (const double time = series.points[member].median.count(); std::isfinite(time)) times.push_back(time);
  web::TrendBaseline baseline;
  baseline.first = members.front();
  baseline.last = members.back();
  if (times.empty()) return baseline;
  baseline.value = compare::middle(times);
  for (double& time : times) time = std::abs(time - baseline.value);
  const double half = 2 * normal_mad * compare::middle(std::move(times));
  baseline.low = baseline.value - half;
  baseline.high = baseline.value + half;
  return baseline;
}

web::Trend trend_of(const Series& series, bool with_steps) {
  web::Trend trend;
  trend.title = compare::line_of(series.identity.key);
  for (const Point& point : series.points)
    trend.points.push_back({point.label.text.empty() ? point.run : point.label.text, point.label.at, point.median.count(),
                            point.ci_low.count(), point.ci_high.count(), point.state == State::refused});
  if (const std::vector<std::size_t> members = baseline_of(series); !members.empty())
    trend.baseline = baseline_of_points(series, members);
  if (!with_steps) return trend;
  for (const Drift& drift : drifts_of({&series, 1}, alone, std::numeric_limits<std::int64_t>::max())) {
    const auto at =
        std::find_if(series.points.begin(), series.points.end(), [&](const Point& point) { return point.run == drift.run; });
    if (at != series.points.end()) trend.steps.push_back({static_cast<std::size_t>(at - series.points.begin()), drift.change});
  }
  return trend;
}

}  // namespace

std::vector<web::Trend> trends_of(std::span<const Series> series, std::span<const Entry> now) {
  std::vector<web::Trend> trends;
  for (const Series& one : series) {
    if (one.points.empty()) continue;  // the history does not know it
    web::Trend& trend = trends.emplace_back(trend_of(one, trends.size() < most_searched));
    for (const Entry& entry : now) {
      const bool known =
          std::any_of(one.points.begin(), one.points.end(), [&](const Point& point) { return point.run == entry.run; });
      if (!entry.measured || known || !(entry.identity == one.identity)) continue;
      trend.points.push_back(
          {entry.run + " (not in the history)", 0, entry.median.count(), entry.ci_low.count(), entry.ci_high.count(), false});
    }
  }
  return trends;
}

std::vector<web::Trend> trends_of(const std::string& where, std::span<const Entry> now) {
  Access access;
  access.now = std::time(nullptr);
  const History store = History::open(where, access);
  return trends_of(store.series_of(identities_of({now.begin(), now.end()})), now);
}

}  // namespace railgauge::history

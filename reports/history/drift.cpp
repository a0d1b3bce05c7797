// The steps behind reports/history/drift.hpp.
#include "reports/history/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/statistics/change_points.hpp"
#include "base/statistics/ratio.hpp"

namespace railgauge::history {
namespace {

// One thing over time: logarithms of times, and the points they are of.
struct Trajectory {
  std::vector<double> values;
  std::vector<const Point*> points;
  void add(const Point& point, double value) {
    values.push_back(value);
    points.push_back(&point);
  }
};

bool counts(const Point& point, std::int64_t last) {
  return point.state == State::counted && point.number <= last && std::isfinite(point.median.count()) && point.median.count() > 0;
}

void find_steps(Trajectory trajectory, const std::optional<Identity>& identity, std::vector<Drift>& found) {
  if (trajectory.values.size() > most_drift_runs) {
    const auto surplus = static_cast<std::ptrdiff_t>(trajectory.values.size() - most_drift_runs);
    trajectory.values.erase(trajectory.values.begin(), trajectory.values.begin() + surplus);
    trajectory.points.erase(trajectory.points.begin(), trajectory.points.begin() + surplus);
  }
  const std::vector<std::size_t> steps = compare::pelt(trajectory.values);
  if (steps.empty()) return;
  for (const compare::Step& step : compare::steps_at(trajectory.values, steps))
    found.push_back(
        {identity, trajectory.points[step.at]->run, trajectory.points[step.at]->label, std::expm1(step.after - step.before), 0});
}

double centre_of(const Series& series, std::int64_t last) {
  std::vector<double> values;
  for (const Point& point : series.points)
    if (counts(point, last)) values.push_back(std::log(point.median.count()));
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : compare::middle(std::move(values));
}

}  // namespace

std::vector<Drift> drifts_of(std::span<const Series> series, std::size_t least_cases, std::int64_t last) {
  // What each run is off in each of its cases.
  struct Offs {
    const Point* point = nullptr;
    std::vector<double> values;
  };
  std::map<std::int64_t, Offs> runs;
  for (const Series& one : series) {
    const double centre = centre_of(one, last);
    for (const Point& point : one.points)
      if (counts(point, last)) {
        Offs& run = runs[point.number];
        run.point = &point;
        run.values.push_back(std::log(point.median.count()) - centre);
      }
  }
  std::map<std::int64_t, double> level;  // of runs that have enough cases
  Trajectory whole;
  for (const auto& [number, run] : runs)
    if (run.values.size() >= least_cases) {
      level[number] = compare::middle(run.values);
      whole.add(*run.point, level[number]);
    }
  std::vector<Drift> found;
  if (series.size() >= least_cases) find_steps(std::move(whole), std::nullopt, found);
  for (const Series& one : series) {
    Trajectory trajectory;
    for (const Point& point : one.points) {
      if (!counts(point, last)) continue;
      const auto of_all = level.find(point.number);
      if (series.size() < least_cases)
        trajectory.add(point, std::log(point.median.count()));
      else if (of_all != level.end())
        trajectory.add(point, std::log(point.median.count()) - of_all->second);
    }
    find_steps(std::move(trajectory), one.identity, found);
  }
  return found;
}

}  // namespace railgauge::history

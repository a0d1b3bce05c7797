// Rank 0 says what to measure, so that all agree whatever their arithmetic; in between the ranks sleep in the control tree, and
// whoever is not measured rests, so that ranks that share cores leave them to the two that are.
#include "bench/session/pairs_again.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <thread>

#include "base/statistics/samples.hpp"
#include "bench/schedule/pairing.hpp"
#include "reports/pairs/pair_trials.hpp"
#include "transports/gather.hpp"

namespace railgauge {
namespace {

constexpr Seconds longest{60};      // all in all, and no longer than the budget of the run allows
constexpr Seconds of_a_pair{0.04};  // of one measurement
constexpr Seconds pause{0.1};       // between two comparisons of one suspect, so that a disturbance meets few of them
// The scheduler's waits in a matrix of ranks that share cores hide who is slow: less is needed to be measured again. What is
// needed to be named stays.
constexpr Thresholds for_shared_cores{.ratio = 1.1, .mads = 2};
// Of a pair's samples: what is slow is so nearly always, while the median of ranks that share cores is often that of the
// scheduler.
constexpr double quartile = 0.25;

// A comparison as all ranks are told of it.
struct Comparison {
  std::uint32_t count = 0;
  std::array<std::int32_t, 4> from{}, to{};
};

Comparison order_of(const std::optional<PairComparison>& comparison) {
  Comparison order;
  if (!comparison) return order;
  for (const PairComparison::Term& term : comparison->terms) {
    order.from.at(order.count) = term.from;
    order.to.at(order.count) = term.to;
    ++order.count;
  }
  return order;
}

// The round in which the two meet, with nobody else in it.
Point alone(const Point& point, std::int32_t from, std::int32_t to) {
  Point its = point;
  Shape& shape = its.spec.shape;
  if (point.spec.algorithm->name != "two_way") shape.directions = from < to ? Directions::upward : Directions::downward;
  shape.round = round_of_pair(shape.ranks, from, to);
  return its;
}

// Seconds; not a number where the data was wrong or there are no samples.
double time_of(const Measurement& measurement, std::int32_t from, std::int32_t to) {
  const auto f = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
  std::vector<double> seconds;
  if (!measurement.mistake && measurement.by_rank.size() > std::max(f, t)) {
    const std::vector<Seconds>&sent = measurement.by_rank[f], &received = measurement.by_rank[t];
    for (std::size_t s = 0; s < std::min(sent.size(), received.size()); ++s)
      seconds.push_back(std::max(sent[s], received[s]).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds.empty() ? std::nan("") : nearest_rank(seconds, quartile);
}

}  // namespace

std::vector<PairFinding> measure_pairs_again(Group& group, PointRunner& runner, const Point& point, const PairMatrix& matrix,
                                             const AgainOptions& again) {
  std::optional<PairTrials> trials;
  TrialOptions options;
  if (again.oversubscribed) options.suspicion = for_shared_cores;
  if (group.rank() == 0) trials.emplace(matrix, point.spec.algorithm->name == "two_way", options);
  const Clock clock = steady_clock();
  const Seconds begin = clock.now();
  Policy policy;
  policy.max_time = of_a_pair;
  for (;;) {
    std::optional<PairComparison> comparison;
    if (trials && clock.now() - begin < std::min(longest, again.budget.value_or(longest))) comparison = trials->next();
    if (comparison) std::this_thread::sleep_for(pause / static_cast<double>(trials->undecided()));
    const Comparison order = gather(group, order_of(comparison)).front();
    if (order.count == 0) break;
    std::vector<double> seconds;
    for (std::size_t i = 0; i < std::min<std::size_t>(order.count, order.from.size()); ++i) {
      const Point pair = alone(point, order.from[i], order.to[i]);
      const MeasuredPoint measured = runner.run(pair, policy, {.keep_ranks = true, .watched = false});
      seconds.push_back(time_of(measured.measurement, order.from[i], order.to[i]));
    }
    if (comparison) trials->add(*comparison, seconds, clock.now() - begin);
  }
  return trials ? trials->findings() : std::vector<PairFinding>{};
}

}  // namespace railgauge

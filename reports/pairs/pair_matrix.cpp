// The arithmetic behind reports/pairs/pair_matrix.hpp.
#include "reports/pairs/pair_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace railgauge {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double least_mad = 0.01;  // of the median

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Distance distance_of(double seconds, const MedianMad& spread) {
  const double mad = std::max(spread.mad, least_mad * spread.median);
  if (!(spread.median > 0)) return {seconds, 1, 0};
  return {seconds, seconds / spread.median, (seconds - spread.median) / mad};
}

constexpr double least_share = 0.1;  // of how much slower the other direction is
double excess(const Distance& distance) { return distance.ratio - 1; }

std::optional<Distance> outlier(double seconds, const MedianMad& spread, const Thresholds& thresholds) {
  const Distance distance = distance_of(seconds, spread);
  if (!(distance.ratio > thresholds.ratio && distance.mads > thresholds.mads)) return std::nullopt;
  return distance;
}

// Not a number where there is none, so that who sends or receives nothing is no measure for the others.
double known_median(const std::vector<double>& values) {
  const bool known = std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  return known ? median_mad_of(values).median : unknown;
}

bool enough(const std::vector<double>& medians) {
  return std::count_if(medians.begin(), medians.end(), [](double value) { return std::isfinite(value); }) > 2;
}

// Outliers among the cells of `spread`, the slowest first.
template <class Seconds>
std::vector<SlowPair> outliers(const std::vector<std::pair<int, int>>& cells, Seconds&& seconds, const MedianMad& spread,
                               const Thresholds& thresholds) {
  std::vector<SlowPair> slow;
  for (const auto& [from, to] : cells)
    if (const auto distance = outlier(seconds(from, to), spread, thresholds)) slow.push_back({from, to, *distance});
  std::stable_sort(slow.begin(), slow.end(),
                   [](const SlowPair& a, const SlowPair& b) { return a.distance.seconds > b.distance.seconds; });
  return slow;
}

double worst(const SlowRank& rank) { return std::max(rank.send ? rank.send->ratio : 0, rank.receive ? rank.receive->ratio : 0); }

}  // namespace

PairMatrix::PairMatrix(int ranks) : ranks_(ranks) {
  if (ranks < 0) throw std::invalid_argument("a matrix of less than no ranks");
  seconds_.assign(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), unknown);
  within_.assign(static_cast<std::size_t>(ranks), unknown);
}

std::size_t PairMatrix::index(int from, int to) const {
  if (from < 0 || to < 0 || from >= ranks_ || to >= ranks_) throw std::out_of_range("a pair that the matrix does not have");
  return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(to);
}

void PairMatrix::set(int from, int to, double seconds) {
  seconds_[index(from, to)] = std::isfinite(seconds) && from != to ? seconds : unknown;
}

double PairMatrix::at(int from, int to) const { return seconds_[index(from, to)]; }

void PairMatrix::set_within(int place, double seconds) {
  within_.at(static_cast<std::size_t>(place)) = std::isfinite(seconds) ? seconds : unknown;
}

double PairMatrix::within(int place) const { return within_.at(static_cast<std::size_t>(place)); }

std::size_t PairMatrix::known() const {
  return static_cast<std::size_t>(
      std::count_if(seconds_.begin(), seconds_.end(), [](double seconds) { return !std::isnan(seconds); }));
}

MedianMad median_mad_of(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); }), values.end());
  MedianMad spread;
  spread.median = median_of(values);
  for (double& value : values) value = std::fabs(value - spread.median);
  spread.mad = median_of(std::move(values));
  return spread;
}

double median_between(const PairMatrix& matrix) {
  std::vector<double> all;
  for (int from = 0; from < matrix.ranks(); ++from)
    for (int to = 0; to < matrix.ranks(); ++to) all.push_back(matrix.at(from, to));
  return median_mad_of(std::move(all)).median;
}

double median_within(const PairMatrix& matrix) {
  std::vector<double> all;
  for (int place = 0; place < matrix.ranks(); ++place) all.push_back(matrix.within(place));
  return median_mad_of(std::move(all)).median;
}

Stragglers find_stragglers(const PairMatrix& matrix, const Thresholds& thresholds) {
  const int ranks = matrix.ranks();
  std::vector<double> rows, columns;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<double> row, column;
    for (int other = 0; other < ranks; ++other) {
      row.push_back(matrix.at(rank, other));
      column.push_back(matrix.at(other, rank));
    }
    rows.push_back(known_median(row));
    columns.push_back(known_median(column));
  }
  Stragglers found;
  found.senders = median_mad_of(rows);
  found.receivers = median_mad_of(columns);
  std::vector<bool> sends_slowly(rows.size()), receives_slowly(rows.size());
  const bool judge_rows = enough(rows), judge_columns = enough(columns);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    SlowRank slow{rank, {}, {}};
    if (judge_rows) slow.send = outlier(rows[r], found.senders, thresholds);
    if (judge_columns) slow.receive = outlier(columns[r], found.receivers, thresholds);
    sends_slowly[r] = slow.send.has_value();
    receives_slowly[r] = slow.receive.has_value();
    if (slow.send && slow.receive) {  // what is little beside the other direction comes with it, and is not named
      if (excess(*slow.receive) < least_share * excess(*slow.send))
        slow.receive.reset();
      else if (excess(*slow.send) < least_share * excess(*slow.receive))
        slow.send.reset();
    }
    if (slow.send || slow.receive) found.ranks.push_back(slow);
  }
  std::stable_sort(found.ranks.begin(), found.ranks.end(),
                   [](const SlowRank& a, const SlowRank& b) { return worst(a) > worst(b); });

  const auto explained = [&](int from, int to) {
    return sends_slowly[static_cast<std::size_t>(from)] || receives_slowly[static_cast<std::size_t>(to)];
  };
  std::vector<double> rest, inside;
  std::vector<std::pair<int, int>> cells, places;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      if (std::isnan(matrix.at(from, to)) || explained(from, to)) continue;
      rest.push_back(matrix.at(from, to));
      cells.emplace_back(from, to);
    }
  for (int place = 0; place < ranks; ++place) {
    inside.push_back(matrix.within(place));
    places.emplace_back(place, place);
  }
  found.rest = median_mad_of(std::move(rest));
  found.inside = median_mad_of(std::move(inside));
  found.pairs = outliers(cells, [&](int from, int to) { return matrix.at(from, to); }, found.rest, thresholds);
  found.within = outliers(places, [&](int place, int) { return matrix.within(place); }, found.inside, thresholds);
  return found;
}

}  // namespace railgauge

// The signs behind reports/gate/paired_sequential_test.hpp.
#include "reports/gate/paired_sequential_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/statistics/draws.hpp"
#include "base/statistics/ratio.hpp"
#include "reports/gate/spread.hpp"

namespace railgauge::compare {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t all_signs_up_to = 12;  // pairs: more than that have too many assignments of signs
constexpr std::size_t drawn_signs = 8191;    // of those, besides the assignment that was seen

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](double value) { return std::isfinite(value); });
  return kept;
}

double middle_or_unknown(std::vector<double> values) { return values.empty() ? unknown : middle(std::move(values)); }

// By part, then by pair: the cases, then the median over them.
std::vector<std::vector<double>> columns_of(std::span<const Pair> pairs) {
  const std::size_t cases = pairs.front().size();
  std::vector<std::vector<double>> columns(cases + 1);
  for (const Pair& pair : pairs) {
    for (std::size_t i = 0; i < cases; ++i) columns[i].push_back(pair.at(i));
    columns[cases].push_back(middle_or_unknown(finite(pair)));
  }
  return columns;
}

// Each part beyond the least effect, in units of its own distances and the usual one, so that neither a loud case nor one that
// happens to be quiet drowns the others; and no farther than twice the usual distance, since a launch that met something may be
// off by any factor. None of that changes when pairs are turned round.
std::vector<std::vector<double>> in_units(std::vector<std::vector<double>> columns, double least_effect) {
  constexpr double farthest = 2;
  std::vector<double> roots;
  for (std::vector<double>& column : columns) {
    std::vector<double> distances;
    for (double& value : column) {
      value = std::isfinite(value) ? value - std::log1p(least_effect) : 0;  // 0 says nothing, whichever sign it has
      if (value != 0) distances.push_back(std::fabs(value));
    }
    const auto count = static_cast<double>(distances.size());
    const double limit = distances.empty() ? 0 : farthest * middle(std::move(distances));
    double squares = 0;
    for (double& value : column) {
      value = std::clamp(value, -limit, limit);
      squares += value * value;
    }
    roots.push_back(count > 0 ? std::sqrt(squares / count) : 0);
  }
  const double usual = middle(roots);
  for (std::size_t part = 0; part < columns.size(); ++part)
    for (double& value : columns[part])
      if (value != 0) value /= std::hypot(roots[part], usual);
  return columns;
}

double sum_of(std::span<const double> column, std::span<const double> signs) {
  double sum = 0;
  for (std::size_t i = 0; i < column.size(); ++i) sum += signs[i] * column[i];
  return sum;
}

}  // namespace

std::vector<CaseChange> parts_of(std::span<const Pair> pairs, double least_effect, std::uint64_t seed) {
  if (pairs.empty()) return {};
  const std::vector<std::vector<double>> columns = columns_of(pairs), units = in_units(columns, least_effect);
  std::vector<double> signs(pairs.size(), 1), seen;
  for (const std::vector<double>& column : units) seen.push_back(sum_of(column, signs));

  constexpr double rounding = 1e-9;
  Draws draws(seed);
  const bool all = pairs.size() <= all_signs_up_to;
  const std::size_t assignments = all ? std::size_t{1} << pairs.size() : drawn_signs + 1;
  std::vector<std::size_t> as_great(columns.size(), 0);
  for (std::size_t assignment = 0; assignment < assignments; ++assignment) {  // the first is what was seen
    const std::uint64_t turned = all ? assignment : assignment == 0 ? 0 : draws.next();
    for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = (turned >> i & 1U) != 0 ? -1 : 1;
    double greatest = -std::numeric_limits<double>::infinity();
    for (const std::vector<double>& column : units) greatest = std::max(greatest, sum_of(column, signs));
    for (std::size_t part = 0; part < seen.size(); ++part) as_great[part] += greatest >= seen[part] - rounding ? 1 : 0;
  }

  std::vector<CaseChange> parts;
  for (std::size_t part = 0; part < columns.size(); ++part) {
    const std::vector<double> values = finite(columns[part]);
    const double centre = middle_or_unknown(values);
    parts.push_back({centre, values.empty() ? unknown : robust_spread(values, centre),
                     static_cast<double>(as_great[part]) / static_cast<double>(assignments)});
  }
  return parts;
}

void PairedSequentialTest::add(Pair pair) {
  if (wanted_ == 0) return;
  pairs_.push_back(std::move(pair));
  if (--wanted_ == 0) look();
}

void PairedSequentialTest::look() {
  parts_ = parts_of(pairs_, rule_.least_effect, rule_.seed);
  double least = 1;
  for (const CaseChange& part : parts_) least = std::min(least, part.chance);
  if (!suspected_) {
    if (!(least <= rule_.suspect)) return;
    suspected_ = true;
    first_ = parts_;
    pairs_.clear();
    wanted_ = rule_.looks.front().pairs;
    return;
  }
  const TurnRule::Look& now = rule_.looks.at(next_);
  slower_ = least <= now.slower;
  const bool last = next_ + 1 == rule_.looks.size();
  if (slower_ || last || !(least <= now.go_on)) return;
  wanted_ = rule_.looks.at(++next_).pairs - pairs_.size();
}

}  // namespace railgauge::compare

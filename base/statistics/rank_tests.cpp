// The arithmetic behind base/statistics/rank_tests.hpp.
#include "base/statistics/rank_tests.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace railgauge::compare {
namespace {

using Values = std::vector<double>;

Values finite(std::span<const double> values) {
  Values kept;
  for (const double value : values)
    if (std::isfinite(value)) kept.push_back(value);
  return kept;
}

Values joined(const Values& x, const Values& y) {
  Values all = x;
  all.insert(all.end(), y.begin(), y.end());
  return all;
}

struct Ranks {
  Values of;        // the rank of each value, from 1 on; equal values share the mean of theirs
  double ties = 0;  // the sum of t^3 - t over groups of t equal values
};

Ranks rank(const Values& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks ranks{Values(values.size()), 0};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const auto equal = static_cast<double>(end - first);
    for (std::size_t i = first; i < end; ++i) ranks.of[order[i]] = static_cast<double>(first + end + 1) / 2;
    ranks.ties += equal * equal * equal - equal;
    first = end;
  }
  return ranks;
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// P(U >= u) where all orders of m and n values are equally likely. Each order is a choice of m of the ranks 0 ... m + n - 1, and
// U is their sum less the least it can be.
double exact_tail(std::size_t m, std::size_t n, double u) {
  const std::size_t least = m * (m - 1) / 2, sums = least + m * n + 1;
  std::vector<Values> choices(m + 1, Values(sums, 0));  // choices[j][s]: choices of j ranks whose sum is s
  choices[0][0] = 1;
  for (std::size_t next = 0; next < m + n; ++next)
    for (std::size_t j = std::min(next + 1, m); j-- > 0;)
      for (std::size_t s = 0; s + next < sums; ++s) choices[j + 1][s + next] += choices[j][s];
  const Values& all = choices[m];
  double reached = 0;
  for (std::size_t s = least; s < sums; ++s)
    if (static_cast<double>(s - least) >= u) reached += all[s];
  return reached / sum(all);
}

double normal_tail(double z) { return boost::math::cdf(boost::math::complement(boost::math::normal_distribution<double>{}, z)); }

}  // namespace

std::optional<MannWhitney> mann_whitney(std::span<const double> x, std::span<const double> y, std::size_t exact_up_to) {
  const Values a = finite(x), b = finite(y);
  if (a.empty() || b.empty()) return std::nullopt;
  const Ranks ranks = rank(joined(a, b));
  const auto m = static_cast<double>(a.size()), n = static_cast<double>(b.size());
  MannWhitney result;
  result.u = sum(std::span(ranks.of).first(a.size())) - m * (m + 1) / 2;
  const double larger = std::max(result.u, m * n - result.u);
  result.exact = ranks.ties == 0 && a.size() + b.size() <= exact_up_to;
  if (result.exact) {
    result.p = std::min(1.0, 2 * exact_tail(a.size(), b.size(), larger));
    return result;
  }
  const double all = m + n;
  const double variance = m * n / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
  const double distance = larger - m * n / 2 - 0.5;  // half a step: U is whole or half, the normal distribution is not
  result.p = variance > 0 ? std::min(1.0, 2 * normal_tail(distance / std::sqrt(variance))) : 1;
  return result;
}

std::optional<BrunnerMunzel> brunner_munzel(std::span<const double> x, std::span<const double> y) {
  const Values a = finite(x), b = finite(y);
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const Ranks both = rank(joined(a, b));
  // The rank of a value among all, less that among its own, is how many of the other side lie below it.
  struct Placed {
    double size = 0, mean_rank = 0, weighted_variance = 0;
  };
  const auto place = [](std::span<const double> among_all, const Values& values) {
    const Ranks own = rank(values);
    Placed placed{static_cast<double>(values.size()), sum(among_all) / static_cast<double>(values.size()), 0};
    const double centre = placed.mean_rank - (placed.size + 1) / 2;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = among_all[i] - own.of[i] - centre;
      placed.weighted_variance += off * off;
    }
    placed.weighted_variance *= placed.size / (placed.size - 1);
    return placed;
  };
  const Placed first = place(std::span(both.of).first(a.size()), a);
  const Placed second = place(std::span(both.of).subspan(a.size()), b);
  const double variance = first.weighted_variance + second.weighted_variance;
  if (!(variance > 0)) return std::nullopt;
  BrunnerMunzel result;
  result.statistic =
      first.size * second.size * (second.mean_rank - first.mean_rank) / ((first.size + second.size) * std::sqrt(variance));
  result.freedom = variance * variance /
                   (first.weighted_variance * first.weighted_variance / (first.size - 1) +
                    second.weighted_variance * second.weighted_variance / (second.size - 1));
  const boost::math::students_t_distribution<double> student(result.freedom);
  result.p = std::min(1.0, 2 * boost::math::cdf(boost::math::complement(student, std::fabs(result.statistic))));
  return result;
}

std::optional<double> cliffs_delta(std::span<const double> x, std::span<const double> y) {
  const Values a = finite(x), b = finite(y);
  if (a.empty() || b.empty()) return std::nullopt;
  const auto pairs = static_cast<double>(a.size()) * static_cast<double>(b.size());
  const auto m = static_cast<double>(a.size());
  const Ranks ranks = rank(joined(a, b));
  const double x_above = sum(std::span(ranks.of).first(a.size())) - m * (m + 1) / 2;  // ties count half
  return (pairs - 2 * x_above) / pairs;
}

}  // namespace railgauge::compare

// The rule behind bench/measure/warm_up.hpp.
#include "bench/measure/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/statistics/samples.hpp"

namespace railgauge {
namespace {

constexpr std::size_t first_look = 32;
constexpr std::size_t windows = 8;            // of the first half
constexpr double negligible = 0.005;          // of the median: a fall that no reader would notice
constexpr double falling_errors = 2;          // standard errors from which on a fall is believed: rather wait than miss one
constexpr double differing_errors = 3;        // and from which on a window is taken for another level
constexpr double error_per_difference = 1.3;  // standard error of a median, times sqrt(n), per median distance of neighbours

// The typical distance of neighbours: noise without the trend, which a distance from the median would contain.
double roughness(std::span<const double> seconds) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < seconds.size(); ++i) distances.push_back(std::abs(seconds[i] - seconds[i - 1]));
  std::sort(distances.begin(), distances.end());
  return nearest_rank(distances, 0.5);
}

// The standard error of the difference between two medians, of `a` and of `b` samples.
double error_between(double rough, std::size_t a, std::size_t b) {
  return error_per_difference * rough * std::sqrt(1 / static_cast<double>(a) + 1 / static_cast<double>(b));
}

double median(std::span<const double> seconds) {
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  return nearest_rank(sorted, 0.5);
}

}  // namespace

WarmUp find_warm_up(std::span<const double> seconds, Seconds elapsed, Seconds budget) {
  const std::size_t count = seconds.size();
  if (count >= first_look) {
    const std::size_t half = count / 2;
    const std::span<const double> last = seconds.subspan(half);
    const std::size_t quarter = last.size() / 2;
    const double rough = roughness(last), level = median(last);
    const auto falls = [&](std::span<const double> before, std::span<const double> after) {
      const double error = error_between(rough, before.size(), after.size());
      return median(before) - median(after) > std::max(falling_errors * error, negligible * level);
    };
    if (!falls(seconds.subspan(half - quarter, quarter), last) && !falls(last.first(quarter), last.subspan(quarter))) {
      const std::size_t window = half / windows;
      const double tolerance = std::max(differing_errors * error_between(rough, window, half), negligible * level);
      std::size_t begin = half;
      while (begin >= window && std::abs(median(seconds.subspan(begin - window, window)) - level) <= tolerance) begin -= window;
      // What remains before the first window is shorter than one and cannot be judged.
      return {WarmUp::State::over, begin, 0};
    }
  }
  if (elapsed >= budget && count != 0) return {WarmUp::State::given_up, count, 0};
  std::size_t more = count < first_look ? first_look - count : count;
  if (count != 0) {
    const double each = elapsed.count() / static_cast<double>(count);
    const double left = (budget - elapsed).count();
    if (each > 0) more = std::min(more, static_cast<std::size_t>(std::clamp(std::ceil(left / each), 1.0, 1e15)));
  }
  return {WarmUp::State::running, 0, more};
}

}  // namespace railgauge

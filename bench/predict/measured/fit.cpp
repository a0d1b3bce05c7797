// The bandwidth from the largest messages and the constants from all, one after the other: bench/predict/measured/fit.hpp.
#include "bench/predict/measured/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace railgauge::predict {
namespace {

constexpr std::size_t enough_for_handshake = 6;  // sizes
constexpr double enough_better = 0.5;            // of the sum of squares
constexpr double close = 0.01;                   // medians are hardly known better: the root of the mean square of errors
constexpr double by_bandwidth = 4;               // times as long as the smallest the largest must take to tell a bandwidth
constexpr double large_share = 16;               // sizes of at least the largest over this tell it
constexpr int turns = 20;                        // of the two estimates, each from the other

// One for each size, ascending: the one in the middle by how many times as long it took as the links and the smallest message
// say.
std::vector<MessageTime> by_size(std::span<const MessageTime> times) {
  const double least = std::min_element(times.begin(), times.end(), [](const MessageTime& a, const MessageTime& b) {
                         return a.seconds < b.seconds;
                       })->seconds;
  const auto slowness = [&](const MessageTime& it) { return it.seconds / (it.wire + least); };
  std::vector<MessageTime> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end(), [&](const MessageTime& a, const MessageTime& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : slowness(a) < slowness(b);
  });
  std::vector<MessageTime> medians;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last < sorted.size() && sorted[last].bytes == sorted[first].bytes) ++last;
    medians.push_back(sorted[(first + last - 1) / 2]);
    first = last;
  }
  return medians;
}

// Times as latency + handshake + slope x wire.
struct Unknowns {
  double latency = 0, handshake = 0, slope = 1;
  double eager = std::numeric_limits<double>::infinity();
  [[nodiscard]] double beside(const MessageTime& it) const { return latency + (it.bytes > eager ? handshake : 0); }
  [[nodiscard]] double of(const MessageTime& it) const { return beside(it) + slope * it.wire; }
};

double squares(std::span<const MessageTime> times, const Unknowns& it) {
  double sum = 0;
  for (const MessageTime& time : times) sum += std::pow(it.of(time) / time.seconds - 1, 2);
  return sum;
}

// The constant of those sizes for which their relative errors are least, the slope being known.
double constant_of(std::span<const MessageTime> times, double slope) {
  double above = 0, below = 0;
  for (const MessageTime& it : times) {
    above += (it.seconds - slope * it.wire) / (it.seconds * it.seconds);
    below += 1 / (it.seconds * it.seconds);
  }
  return std::max(0.0, above / below);
}

// Latency and handshake, the slope being known.
Unknowns constants_of(std::span<const MessageTime> sizes, double slope) {
  Unknowns best;
  best.slope = slope;
  best.latency = constant_of(sizes, slope);
  if (sizes.size() < enough_for_handshake) return best;
  double least = squares(sizes, best) * enough_better;
  if (least < enough_better * close * close * static_cast<double>(sizes.size())) return best;
  for (std::size_t large = 2; large + 2 <= sizes.size(); ++large) {
    Unknowns it;
    it.slope = slope;
    it.latency = constant_of(sizes.first(large), slope);
    it.handshake = constant_of(sizes.subspan(large), slope) - it.latency;
    it.eager = sizes[large - 1].bytes;
    const double sum = squares(sizes, it);
    if (it.handshake <= 0 || sum >= least) continue;
    least = sum;
    best = it;
  }
  return best;
}

// Of the largest sizes, the rest of their time being known.
double slope_of(std::span<const MessageTime> sizes, const Unknowns& known) {
  std::vector<double> slopes;
  for (const MessageTime& it : sizes)
    if (it.bytes * large_share >= sizes.back().bytes) slopes.push_back((it.seconds - known.beside(it)) / it.wire);
  std::sort(slopes.begin(), slopes.end());
  return slopes[(slopes.size() - 1) / 2];
}

MessageFit result_of(std::span<const MessageTime> times, const Unknowns& it) {
  MessageFit fit;
  fit.latency = it.latency;
  fit.share = 1 / it.slope;
  fit.handshake = it.handshake;
  if (it.handshake > 0) fit.eager = it.eager;
  fit.has_latency = true;
  for (const MessageTime& time : times) fit.error = std::max(fit.error, std::abs(it.of(time) / time.seconds - 1));
  return fit;
}

MessageFit of_one_size(const MessageTime& it, double latency) {
  MessageFit fit;
  fit.latency = latency;
  if (it.wire > it.seconds / 2 && it.seconds > latency) {
    fit.share = it.wire / (it.seconds - latency);
    fit.has_share = true;
  } else {
    fit.latency = std::max(0.0, it.seconds - it.wire);
    fit.has_latency = true;
  }
  return fit;
}

}  // namespace

MessageFit fit_messages(std::span<const MessageTime> times, double latency) {
  const std::vector<MessageTime> sizes = by_size(times);
  if (sizes.size() == 1) return of_one_size(sizes.front(), latency);
  const bool tells_share = sizes.back().seconds > by_bandwidth * sizes.front().seconds;
  Unknowns it = constants_of(sizes, tells_share ? sizes.back().seconds / sizes.back().wire : 1);
  for (int turn = 0; tells_share && turn < turns; ++turn) {
    const double slope = slope_of(sizes, it);
    if (!(slope > 0)) break;
    it = constants_of(sizes, slope);
  }
  MessageFit fit = result_of(sizes, it);
  fit.has_share = tells_share;
  return fit;
}

}  // namespace railgauge::predict

// The arithmetic behind bench/measure/clock_sync.hpp.
//
// Flaviu Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989: the answer was given between question
// and answer, so the middle of the two is wrong by at most half the round trip, and the shortest round trip bounds it best.
// Sascha Hunold and Alexandra Carpen-Amarie, "On the Impact of Synchronizing Clocks and Processes on Benchmarking MPI
// Collectives", EuroMPI 2015, have why drift must be followed too.
#include "bench/measure/clock_sync.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/statistics/samples.hpp"

namespace railgauge {

ClockReading best_reading(std::span<const ClockExchange> exchanges) {
  if (exchanges.empty()) throw std::invalid_argument("no exchange to read a clock from");
  const auto best = std::min_element(exchanges.begin(), exchanges.end(), [](const ClockExchange& a, const ClockExchange& b) {
    return a.answered - a.asked < b.answered - b.asked;
  });
  const double half = (best->answered - best->asked) / 2;
  return {best->theirs, best->asked + half - best->theirs, half};
}

ClockLine::ClockLine(const ClockReading& one, const ClockReading& other) : first_(one), last_(other) {
  if (last_.theirs < first_.theirs) std::swap(first_, last_);
  const double span = last_.theirs - first_.theirs;
  if (!(span > 0) || (first_.error + last_.error) / span > assumed_drift) {
    // Each is good by itself; the surer one is the line.
    if (first_.error < last_.error) last_ = first_;
    first_ = last_;
    return;
  }
  drift_ = (last_.offset - first_.offset) / span;
  measured_drift_ = true;
}

double ClockLine::to_reference(double theirs) const { return theirs + first_.offset + drift_ * (theirs - first_.theirs); }

double ClockLine::from_reference(double reference) const {
  // The offset at the first reading, then how much faster the reference ran since.
  const double since = reference - first_.offset - first_.theirs;
  return first_.theirs + since / (1 + drift_);
}

double ClockLine::error_at(double theirs) const {
  if (!measured_drift_) return first_.error + assumed_drift * std::fabs(theirs - first_.theirs) * (first_.error > 0 ? 1 : 0);
  const double along = (theirs - first_.theirs) / (last_.theirs - first_.theirs);
  return std::fabs(1 - along) * first_.error + std::fabs(along) * last_.error;
}

StartSkew skew_of(std::span<const std::vector<double>> starts, std::span<const ClockLine> lines) {
  StartSkew result;
  if (starts.empty()) return result;
  if (starts.size() != lines.size()) throw std::invalid_argument("as many clocks as ranks are needed");
  std::size_t samples = starts.front().size();
  for (const std::vector<double>& one : starts) samples = std::min(samples, one.size());
  result.last.assign(starts.size(), 0);
  result.samples = samples;
  std::vector<double> skews;
  skews.reserve(samples);
  for (std::size_t s = 0; s < samples; ++s) {
    double earliest = lines[0].to_reference(starts[0][s]), latest = earliest;
    std::size_t last = 0;
    for (std::size_t r = 0; r < starts.size(); ++r) {
      const double start = lines[r].to_reference(starts[r][s]);
      earliest = std::min(earliest, start);
      if (start > latest) {
        latest = start;
        last = r;
      }
      result.error = std::max(result.error, lines[r].error_at(starts[r][s]));
    }
    ++result.last[last];
    skews.push_back(latest - earliest);
  }
  std::sort(skews.begin(), skews.end());
  if (skews.empty()) return result;
  result.median = nearest_rank(skews, 0.5);
  result.max = skews.back();
  return result;
}

}  // namespace railgauge

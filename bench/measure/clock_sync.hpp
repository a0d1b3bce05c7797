// Clock synchronisation: converts each rank's clock to the clock of rank 0. Arithmetic only; docs/clocks.md explains it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace railgauge {

// One question and answer: rank 0's clock when it asked and when it had the answer, and the other's clock in between. Seconds,
// each since a fixed moment of its clock's own.
struct ClockExchange {
  double asked = 0, theirs = 0, answered = 0;
};

// At `theirs` of the other clock, rank 0's showed theirs + offset, give or take `error`: half a round trip, however the delay was
// divided between the two directions.
struct ClockReading {
  double theirs = 0, offset = 0, error = 0;
};

// The reading of the exchange with the shortest round trip, which has the smallest error. `exchanges` is not empty.
[[nodiscard]] ClockReading best_reading(std::span<const ClockExchange> exchanges);

// The largest drift that is assumed before it is measured, in seconds a second: twice the rate that NTP corrects.
inline constexpr double assumed_drift = 1e-3;

// The linear conversion from one clock to the other, with a bound of its error at any moment.
class ClockLine {
 public:
  ClockLine() = default;  // the same clock, without error
  explicit ClockLine(const ClockReading& reading) : first_(reading), last_(reading) {}
  // The two readings in any order. Where they are so close in time that their errors exceed assumed_drift, the drift is taken as
  // 0.
  ClockLine(const ClockReading& one, const ClockReading& other);

  [[nodiscard]] double to_reference(double theirs) const;
  [[nodiscard]] double from_reference(double reference) const;
  // Bound of |to_reference(theirs) - what rank 0's clock showed|, if both clocks run evenly.
  [[nodiscard]] double error_at(double theirs) const;
  [[nodiscard]] double drift() const { return drift_; }  // seconds that rank 0's clock gains in one of the other

 private:
  ClockReading first_, last_;
  double drift_ = 0;
  bool measured_drift_ = false;
};

// The skew of the starts of samples: `starts[r][s]` is when rank r began sample s, in seconds of its own clock; lines[r] is its
// line. All ranks have the same number of samples.
struct StartSkew {
  std::uint64_t samples = 0;
  double median = 0, max = 0;       // seconds from the first start to the last
  double error = 0;                 // bound of the error of each start
  std::vector<std::uint64_t> last;  // by rank: how often it was the last
};
[[nodiscard]] StartSkew skew_of(std::span<const std::vector<double>> starts, std::span<const ClockLine> lines);

}  // namespace railgauge

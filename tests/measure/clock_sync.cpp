// Clocks that are simulated: their offset and drift are known, delays are random and asymmetric, and what is said of them must
// hold within the bound that is stated.
#include "bench/measure/clock_sync.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr std::uint64_t seed = 20261121;

// A clock that shows offset + (1 + drift) * t at true time t; rank 0's shows t.
struct FalseClock {
  double offset = 0, drift = 0;
  [[nodiscard]] double at(double true_time) const { return offset + (1 + drift) * true_time; }
};

class World {
 public:
  explicit World(std::uint64_t from) : random_(from) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  }
  // Delays of 1 to 5 us in one direction, 1 to 50 us in the other, and now and then a millisecond in between.
  std::vector<ClockExchange> exchanges(const FalseClock& clock, double begin, int count) {
    std::vector<ClockExchange> made;
    double now = begin;
    for (int i = 0; i < count; ++i) {
      ClockExchange exchange;
      exchange.asked = now;
      now += between(1e-6, 5e-6) + (between(0, 1) < 0.2 ? 1e-3 : 0);
      exchange.theirs = clock.at(now);
      now += between(1e-6, 50e-6) + (between(0, 1) < 0.2 ? 1e-3 : 0);
      exchange.answered = now;
      made.push_back(exchange);
    }
    return made;
  }
  FalseClock clock() { return {between(-1e5, 1e5), between(-2e-4, 2e-4)}; }

 private:
  std::mt19937_64 random_;
};

constexpr double rounding = 1e-9;  // of doubles around 1e5 seconds, and some of them

}  // namespace

TEST_CASE("a reading is right within half of its round trip") {
  World world(seed);
  for (int turn = 0; turn < 500; ++turn) {
    const FalseClock clock = world.clock();
    const std::vector<ClockExchange> exchanges = world.exchanges(clock, world.between(0, 1000), 20);
    const ClockReading reading = best_reading(exchanges);
    const double when = (reading.theirs - clock.offset) / (1 + clock.drift);
    INFO("seed " << seed << ", turn " << turn);
    CHECK(std::fabs(reading.theirs + reading.offset - when) <= reading.error + rounding);
    CHECK(std::all_of(exchanges.begin(), exchanges.end(),
                      [&](const ClockExchange& one) { return reading.error <= (one.answered - one.asked) / 2 + rounding; }));
    CHECK(reading.error < 60e-6);
  }
  CHECK_THROWS_AS(best_reading({}), std::invalid_argument);
}

TEST_CASE("a line through two readings follows drift within its bound, between them and beyond") {
  World world(seed);
  for (int turn = 0; turn < 500; ++turn) {
    const FalseClock clock = world.clock();
    const double begin = world.between(0, 1000), span = world.between(0.01, 20);
    const ClockReading first = best_reading(world.exchanges(clock, begin, 20));
    const ClockReading last = best_reading(world.exchanges(clock, begin + span, 20));
    const ClockLine line = turn % 2 == 0 ? ClockLine(first, last) : ClockLine(last, first);
    for (int probe = 0; probe < 20; ++probe) {
      const double when = begin + world.between(-0.5, 1.5) * span;
      const double theirs = clock.at(when);
      INFO("seed " << seed << ", turn " << turn << ", " << when - begin << " s of " << span);
      CHECK(std::fabs(line.to_reference(theirs) - when) <= line.error_at(theirs) + rounding);
      CHECK(std::fabs(line.from_reference(line.to_reference(theirs)) - theirs) <= rounding);
    }
    if (span > 5) CHECK(std::fabs(line.drift() + clock.drift / (1 + clock.drift)) < 3e-5);
  }
}

TEST_CASE("one reading is a line too, whose bound grows with time") {
  World world(seed);
  for (int turn = 0; turn < 200; ++turn) {
    const FalseClock clock = world.clock();
    const ClockReading reading = best_reading(world.exchanges(clock, 10, 20));
    const ClockLine line(reading);
    for (const double when : {9.0, 10.0, 10.1, 14.0}) {
      const double theirs = clock.at(when);
      CHECK(std::fabs(line.to_reference(theirs) - when) <= line.error_at(theirs) + rounding);
    }
    CHECK(line.error_at(reading.theirs + 1) > line.error_at(reading.theirs));
    CHECK(line.drift() == 0);
  }
  const ClockLine same;
  CHECK(same.to_reference(5) == 5);
  CHECK(same.from_reference(5) == 5);
  CHECK(same.error_at(1e6) == 0);
}

TEST_CASE("readings too close in time say nothing about drift") {
  const ClockLine line(ClockReading{1, 100, 10e-6}, ClockReading{1.0001, 100.00001, 2e-6});
  CHECK(line.drift() == 0);
  CHECK_THAT(line.to_reference(1.0001), WithinAbs(101.00011, 1e-9));
  CHECK_THAT(line.error_at(1.0001), WithinAbs(2e-6, 1e-12));
  const ClockLine twice(ClockReading{1, 100, 1e-6}, ClockReading{1, 100, 1e-6});
  CHECK(twice.drift() == 0);
}

TEST_CASE("the skew of starts is that of true time, within the error, and the last rank is known") {
  World world(seed);
  for (int turn = 0; turn < 50; ++turn) {
    const auto ranks = static_cast<std::size_t>(2 + turn % 7);
    std::vector<FalseClock> clocks;
    std::vector<ClockLine> lines;
    for (std::size_t r = 0; r < ranks; ++r) {
      clocks.push_back(r == 0 ? FalseClock{} : world.clock());
      lines.push_back(
          r == 0 ? ClockLine()
                 : ClockLine(best_reading(world.exchanges(clocks[r], 0, 20)), best_reading(world.exchanges(clocks[r], 5, 20))));
    }
    // One rank is always a millisecond late, the others are within 10 us.
    const std::size_t late = static_cast<std::size_t>(turn) % ranks;
    std::vector<std::vector<double>> starts(ranks);
    double largest = 0;
    for (int s = 0; s < 100; ++s) {
      const double when = 5.0 * s / 100;
      double first = when + 1;
      for (std::size_t r = 0; r < ranks; ++r) {
        const double start = when + world.between(0, 10e-6) + (r == late ? 1e-3 : 0);
        first = std::min(first, start);
        if (r == late) largest = std::max(largest, start - first);
        starts[r].push_back(clocks[r].at(start));
      }
    }
    const StartSkew skew = skew_of(starts, lines);
    INFO("seed " << seed << ", turn " << turn);
    CHECK(skew.samples == 100);
    CHECK(skew.last[late] == 100);
    CHECK(skew.error < 60e-6);
    CHECK_THAT(skew.median, WithinAbs(1e-3, 10e-6 + 2 * skew.error));
    CHECK(skew.max >= skew.median);
    CHECK(skew.max <= 1.01e-3 + 2 * skew.error + rounding);
  }
  CHECK(skew_of({}, {}).samples == 0);
  const std::vector<std::vector<double>> none(2);
  CHECK(skew_of(none, std::vector<ClockLine>(2)).samples == 0);
  CHECK_THROWS_AS(skew_of(none, std::vector<ClockLine>(3)), std::invalid_argument);
}

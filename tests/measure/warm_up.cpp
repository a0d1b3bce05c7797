// The end of warm-up on series whose answer is known.
#include "bench/measure/warm_up.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr std::uint64_t seed = 11;

struct Found {
  WarmUp warm_up;
  std::size_t taken;
};

// Takes samples level(i) with noise, one millisecond each, until the warm-up ends.
Found run(const std::function<double(std::size_t)>& level, double sigma, Seconds budget, std::uint64_t offset = 0) {
  std::mt19937_64 generator(seed + offset);
  std::normal_distribution<double> normal(0, sigma);
  std::vector<double> samples;
  for (;;) {
    const WarmUp found = find_warm_up(samples, Seconds{static_cast<double>(samples.size()) * 1e-3}, budget);
    if (found.state != WarmUp::State::running) return {found, samples.size()};
    REQUIRE(found.more > 0);
    for (std::size_t i = 0; i < found.more; ++i) samples.push_back(level(samples.size()) * (1 + normal(generator)));
  }
}

}  // namespace

TEST_CASE("what is warm already loses next to nothing") {
  std::size_t kept = 0, taken = 0;
  for (std::uint64_t offset = 0; offset < 50; ++offset) {
    const Found found = run([](std::size_t) { return 1.0; }, 0.03, Seconds{10}, offset);
    REQUIRE(found.warm_up.state == WarmUp::State::over);
    taken += found.taken;
    kept += found.taken - found.warm_up.end;
  }
  INFO("seeds " << seed << " and on: kept " << kept << " of " << taken);
  CHECK(kept * 4 >= taken * 3);
  CHECK(taken <= 50 * 64);
}

TEST_CASE("a decaying start is cut off") {
  for (std::uint64_t offset = 0; offset < 50; ++offset) {
    const auto level = [](std::size_t i) { return 1 + 2 * std::exp(-static_cast<double>(i) / 40); };
    const Found found = run(level, 0.02, Seconds{100}, offset);
    INFO("seed " << seed + offset << " end " << found.warm_up.end << " of " << found.taken);
    REQUIRE(found.warm_up.state == WarmUp::State::over);
    CHECK(level(found.warm_up.end) < 1.1);
  }
}

TEST_CASE("a step is found within a window of where it is") {
  for (std::uint64_t offset = 0; offset < 50; ++offset) {
    const Found found = run([](std::size_t i) { return i < 100 ? 1.5 : 1.0; }, 0.02, Seconds{100}, offset);
    INFO("seed " << seed + offset << " end " << found.warm_up.end << " of " << found.taken);
    REQUIRE(found.warm_up.state == WarmUp::State::over);
    // Before a step nothing tells of it: what looks steady for long enough is called steady.
    if (found.taken > 100) CHECK(found.warm_up.end >= 92);
    if (found.taken > 200) CHECK(found.warm_up.end <= 120);
  }
}

TEST_CASE("an early step does not pass for warm") {
  for (std::uint64_t offset = 0; offset < 50; ++offset) {
    const Found found = run([](std::size_t i) { return i < 12 ? 5.0 : 1.0; }, 0.02, Seconds{100}, offset);
    INFO("seed " << seed + offset);
    REQUIRE(found.warm_up.state == WarmUp::State::over);
    CHECK(found.warm_up.end >= 10);
    CHECK(found.warm_up.end <= 24);
  }
}

TEST_CASE("a trend that never ends is given up at the end of its budget") {
  const Found found = run([](std::size_t i) { return std::exp(-static_cast<double>(i) / 500); }, 0.01, Seconds{2}, 0);
  CHECK(found.warm_up.state == WarmUp::State::given_up);
  CHECK(found.warm_up.end == found.taken);
  CHECK(found.taken >= 2000);
  CHECK(found.taken < 2100);
}

TEST_CASE("rising times are warm") {
  const Found found = run([](std::size_t i) { return 1 + static_cast<double>(i) / 500; }, 0.01, Seconds{100});
  CHECK(found.warm_up.state == WarmUp::State::over);
  CHECK(found.taken <= 64);
}

TEST_CASE("one slow sample is enough to end a budget") {
  const std::vector<double> one{3.0};
  const WarmUp found = find_warm_up(one, Seconds{3}, Seconds{1});
  CHECK(found.state == WarmUp::State::given_up);
  CHECK(found.end == 1);
}

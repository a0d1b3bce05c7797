// The loop with scripted operations and clocks: what runs in which order, what counts, and what is said when it goes wrong.
#include "tests/measure/loop_cases.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::test::loop;

TEST_CASE("back to back: restore, one barrier, each set once, check") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 3);
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(30), world.clock());
  CHECK(repeats(world.log, "RB012C"));
  CHECK(m.converged);
  CHECK(m.batch == 1);
  CHECK(m.checked == 1);
  CHECK(m.samples.size() == 30);
  CHECK(m.warm);
  for (const Seconds sample : m.samples) CHECK_THAT(sample.count(), WithinAbs(1e-3 + reading, 1e-10));
  CHECK(m.host_samples.empty());
  CHECK(m.warm_up + m.samples.size() * m.batch == world.operations);
  CHECK_THAT(m.clock_cost.count(), WithinAbs(reading, 1e-9));
}

TEST_CASE("what a device's own clock says of each sample is its time, and what the rank's clock says is kept beside it") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 1);
  bench.subject.check_every = false;
  std::size_t samples = 0;
  bench.subject.device_time = [&] { return Seconds{2e-3 + 1e-6 * static_cast<double>(++samples % 2)}; };
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(40), world.clock());
  REQUIRE(m.samples.size() >= 40);  // whole batches
  for (const Seconds sample : m.samples) CHECK_THAT(sample.count(), WithinAbs(2.0005e-3, 0.6e-6));
  CHECK_THAT(m.statistics.max - m.statistics.min, WithinAbs(1e-6, 1e-9));
  REQUIRE(m.host_samples.size() == m.samples.size());
  for (const Seconds sample : m.host_samples) CHECK_THAT(sample.count(), WithinAbs(1e-3, 1e-6));
}

TEST_CASE("window: barriers until a start can be agreed on, then none, and starts that are evenly apart") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 3);
  const ClockLine line;  // this is rank 0
  bench.subject.mode = Mode::window;
  bench.subject.line = &line;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(300), world.clock());
  CHECK(m.samples.size() == 300);
  CHECK(m.late_starts == 0);
  CHECK(m.slowest == std::vector<std::uint64_t>{300});
  REQUIRE(m.starts.size() == 1);
  REQUIRE(m.starts[0].size() == 300);
  CHECK_THAT(world.log, ContainsSubstring("RB0B1B2C"));
  CHECK_THAT(world.log, ContainsSubstring("R012C"));
  for (std::size_t s = 1; s < m.starts[0].size(); ++s) CHECK(m.starts[0][s] - m.starts[0][s - 1] > 1.2e-3);
  for (const Seconds sample : m.samples) CHECK_THAT(sample.count(), WithinAbs(1e-3 + reading, 1e-8));
}

TEST_CASE("window: a rank that is interrupted starts late, which is counted") {
  World world;
  world.seconds = [](std::uint64_t n) { return n == 250 ? 30e-3 : 1e-3; };
  Bench bench(world, 1);
  const ClockLine line;
  bench.subject.mode = Mode::window;
  bench.subject.line = &line;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(400), world.clock());
  CHECK(m.late_starts >= 1);
  CHECK(m.late_starts < 300);
}

TEST_CASE("window: without a clock there is nothing to agree on") {
  World world;
  Bench bench(world, 1);
  bench.subject.mode = Mode::window;
  Alone group;
  CHECK_THROWS_AS(measure(bench.subject, group, fixed(3), world.clock()), std::invalid_argument);
}

TEST_CASE("starts are kept of the first samples after the warm-up") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-5; };
  Bench bench(world, 1);
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(25'000), world.clock());
  REQUIRE(m.starts.size() == 1);
  CHECK(m.starts[0].size() <= most_starts);
  CHECK(m.starts[0].size() > 1000);
  CHECK(std::is_sorted(m.starts[0].begin(), m.starts[0].end()));
}

TEST_CASE("isolated: a barrier before each sample") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 2);
  bench.subject.mode = Mode::isolated;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(10), world.clock());
  CHECK(repeats(world.log, "RB0B1C"));
  CHECK(m.checked == 1);
  for (const Seconds sample : m.samples) CHECK_THAT(sample.count(), WithinAbs(1e-3 + reading, 1e-10));
}

TEST_CASE("a sample is a hundred times as long as the clock takes and sets repeat when they must") {
  World world;
  world.seconds = [](std::uint64_t) { return 100e-9; };
  Bench bench(world, 4);
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(1000), world.clock());
  CHECK(m.batch >= 20);  // 100 * 20 ns / 100 ns
  CHECK(m.batch <= 32);
  CHECK(m.batch % 4 == 0);
  CHECK(m.checked == 4.0 / static_cast<double>(m.batch));
  const std::string batch = "RB" + letters("0123", m.batch / 4) + "C";
  CHECK(world.log.size() > 10 * batch.size());
  CHECK(repeats(world.log.substr(world.log.size() - 10 * batch.size()), batch));
  CHECK_THAT(m.statistics.median, WithinAbs(100e-9, 2e-9));
}

TEST_CASE("samples of several iterations stay within one round of the sets where these are enough") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-6; };
  Bench bench(world, 8);
  bench.subject.mode = Mode::isolated;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(100), world.clock());
  CHECK(m.batch == 4);  // 2 would do for the clock, with a margin it is 3, which does not divide 8
  CHECK(m.checked == 1);
  const std::string batch = "RB0123B4567C";
  CHECK(repeats(world.log.substr(world.log.size() - 5 * batch.size()), batch));
}

TEST_CASE("what spoils its own input runs once between restores, however short it is") {
  World world;
  world.seconds = [](std::uint64_t) { return 50e-9; };
  Bench bench(world, 4);
  bench.subject.repeatable = false;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(100), world.clock());
  CHECK(m.batch == 4);
  CHECK(m.checked == 1);
  CHECK(repeats(world.log, "RB0123C"));
}

TEST_CASE("a share may go unchecked") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 2);
  bench.subject.check_every = false;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(64), world.clock());
  CHECK(m.batch == 1);
  CHECK(m.checked == 1.0 / 16);
  const std::string block = "RB" + letters("01", 16) + "C";
  const std::size_t first = world.log.find(block);  // how long an iteration takes is known after a few of a single round
  REQUIRE(first != std::string::npos);
  CHECK(repeats(world.log.substr(0, first), "RB" + letters("01", 1) + "C"));
  CHECK(repeats(world.log.substr(first), block));
}

TEST_CASE("long iterations are checked sooner, and warm up for no longer than they must") {
  const auto [seconds, rounds] = GENERATE(std::pair{3.0, 1}, std::pair{0.15, 1}, std::pair{0.02, 12}, std::pair{0.005, 16});
  World world;
  world.seconds = [each = seconds](std::uint64_t) { return each; };
  Bench bench(world, 2);
  bench.subject.check_every = false;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(2), world.clock());
  CAPTURE(seconds);
  CHECK(m.checked == 1.0 / rounds);
  CHECK(m.operations <= static_cast<std::uint64_t>(8 + 4 * 2 * rounds));
}

TEST_CASE("a point that has little time is checked more often, and is over sooner") {
  World world;
  world.seconds = [](std::uint64_t) { return 0.02; };
  Bench bench(world, 2);
  bench.subject.check_every = false;
  Alone group;
  Policy policy;
  policy.max_time = Seconds{0.3};
  const Measurement m = measure(bench.subject, group, policy, world.clock());
  CHECK(m.checked == 1.0 / 3);  // rounds of 0.04 s in half of its time
  CHECK(m.operations <= 40);
}

TEST_CASE("without a check nothing is said to be checked") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 1);
  bench.subject.check = nullptr;
  bench.subject.restore = nullptr;
  bench.subject.barrier = nullptr;
  Alone group;
  CHECK(measure(bench.subject, group, fixed(5), world.clock()).checked == 0);
}

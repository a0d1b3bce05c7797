// The loop with scripted operations and clocks: what runs in which order, what counts, and what is said when it goes wrong.
#include "bench/measure/loop.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/measure/batch_report.hpp"
#include "tests/measure/alone.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr double reading = 20e-9;  // seconds that the scripted clock takes itself

// One rank's world: its clock moves only when it is read and when operations run.
struct World {
  double now = 100;
  std::string log;                               // R restore, B barrier, C check, digits: sets
  std::function<double(std::uint64_t)> seconds;  // of the n-th operation
  std::uint64_t operations = 0;

  [[nodiscard]] Clock clock() {
    return {[](void* world) { return Seconds{static_cast<World*>(world)->now += reading}; }, this};
  }
};

// Completes at the third test.
class Operation : public Runnable {
 public:
  Operation(World& world, char letter) : world_(world), letter_(letter) {}
  void start() override {
    world_.log += letter_;
    world_.now += letter_ == 'B' ? 5e-6 : world_.seconds(world_.operations++);
    tests_ = 0;
  }
  bool test() override { return ++tests_ >= 3; }

 private:
  World& world_;
  char letter_;
  int tests_ = 0;
};

class Stuck : public Runnable {
 public:
  explicit Stuck(World& world) : world_(world) {}
  void start() override {}
  bool test() override {
    world_.now += 1e-4;
    return false;
  }

 private:
  World& world_;
};

// A subject of `sets` operations in a world.
struct Bench {
  Bench(World& world, std::size_t sets) : barrier(world, 'B') {
    for (std::size_t s = 0; s < sets; ++s) operations.emplace_back(world, static_cast<char>('0' + s));
    for (Operation& operation : operations) runnables.push_back(&operation);
    subject.name = "all_reduce ring";
    subject.sets = runnables;
    subject.barrier = &barrier;
    subject.restore = [&world] { world.log += 'R'; };
    subject.check = [&world]() -> std::optional<Mistake> {
      world.log += 'C';
      return std::nullopt;
    };
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  Operation barrier;
  std::vector<Operation> operations;
  std::vector<Runnable*> runnables;
  MeasuredOperation subject;
};

Policy fixed(std::uint64_t iterations) {
  Policy policy;
  policy.iterations = iterations;
  return policy;
}

// Whether the log is this batch, over and over.
bool repeats(const std::string& log, const std::string& batch) {
  if (log.empty() || log.size() % batch.size() != 0) return false;
  for (std::size_t i = 0; i < log.size(); ++i)
    if (log[i] != batch[i % batch.size()]) return false;
  return true;
}

std::string letters(const std::string& text, std::uint64_t times) {
  std::string all;
  for (std::uint64_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

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

TEST_CASE("a falling start is not counted") {
  World world;
  std::mt19937_64 generator(9);
  std::normal_distribution<double> normal(0, 0.02);
  world.seconds = [&](std::uint64_t n) { return 1e-3 * (1 + 3 * std::exp(-static_cast<double>(n) / 30) + normal(generator)); };
  Bench bench(world, 2);
  Alone group;
  const Measurement m = measure(bench.subject, group, Policy{}, world.clock());
  INFO("seed 9");
  CHECK(m.converged);
  CHECK(m.warm);
  CHECK(m.warm_up >= 90);
  CHECK(m.statistics.max < 1.2e-3);
}

TEST_CASE("noise that is too wide for the time is said not to converge") {
  World world;
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  world.seconds = [&](std::uint64_t) { return 1e-3 * std::exp(normal(generator)); };
  Bench bench(world, 2);
  Alone group;
  Policy policy;
  policy.max_time = Seconds{0.5};
  const Measurement m = measure(bench.subject, group, policy, world.clock());
  INFO("seed 3");
  CHECK_FALSE(m.converged);
  CHECK_THAT(m.reason, ContainsSubstring("the time of 0.5 s was over"));
  CHECK(m.samples.size() > 60);
  CHECK(m.elapsed.count() >= 0.5);
  CHECK(m.elapsed.count() < 0.7);
}

TEST_CASE("an operation longer than the time of its point still gives a sample") {
  World world;
  world.seconds = [](std::uint64_t) { return 3.0; };
  Bench bench(world, 1);
  Alone group;
  Policy policy;
  policy.max_time = Seconds{1};
  const Measurement m = measure(bench.subject, group, policy, world.clock());
  CHECK_FALSE(m.converged);
  CHECK(m.samples.size() == 1);
  CHECK(world.operations == 2);
}

TEST_CASE("a mistake ends the point") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 2);
  std::size_t at_mistake = 0;
  int checks = 0;
  bench.subject.check = [&]() -> std::optional<Mistake> {
    world.log += 'C';
    if (++checks < 20) return std::nullopt;
    if (at_mistake == 0) at_mistake = world.log.size();
    return Mistake{0, 5, "1", "2", 3};
  };
  Alone group;
  Policy policy;
  policy.precision = 1e-9;
  policy.min_samples = 10'000;
  const Measurement m = measure(bench.subject, group, policy, world.clock());
  REQUIRE(m.mistake.has_value());
  CHECK(m.mistake->index == 5);
  CHECK(m.wrong >= 3);
  CHECK_FALSE(m.converged);
  CHECK_THAT(m.reason, ContainsSubstring("element 5"));
  CHECK(world.operations < 2000);
}

TEST_CASE("the warm-up is checked too") {
  World world;
  world.seconds = [](std::uint64_t) { return 1e-3; };
  Bench bench(world, 2);
  bench.subject.check = [&]() -> std::optional<Mistake> { return Mistake{0, 0, "1", "2", 1}; };
  Alone group;
  const Measurement m = measure(bench.subject, group, Policy{}, world.clock());
  CHECK(m.mistake.has_value());
  CHECK(m.samples.empty() == false);
  CHECK(world.operations <= 4);
}

TEST_CASE("an operation that never completes ends with its name, the rank and the time") {
  World world;
  Stuck stuck(world);
  Runnable* const sets[] = {&stuck};
  MeasuredOperation subject;
  subject.name = "broadcast binomial";
  subject.sets = sets;
  Alone group;
  try {
    (void)measure(subject, group, Policy{}, world.clock());
    FAIL("returned");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::lost);
    CHECK_THAT(error.what(), ContainsSubstring("broadcast binomial: rank 0 of 1 has waited 30"));
    CHECK_THAT(error.what(), ContainsSubstring("iteration 0"));
  }
  subject.barrier = &stuck;
  try {
    (void)measure(subject, group, Policy{}, world.clock());
    FAIL("returned");
  } catch (const Error& error) { CHECK_THAT(error.what(), ContainsSubstring("the barrier before iteration 0")); }
}

TEST_CASE("news of a death ends the wait at once") {
  World world;
  Stuck stuck(world);
  Runnable* const sets[] = {&stuck};
  MeasuredOperation subject;
  subject.sets = sets;
  subject.yield = true;
  Alone group;
  group.dead = true;
  CHECK_THROWS_AS(measure(subject, group, Policy{}, world.clock()), Error);
  CHECK(world.now < 101);
}

TEST_CASE("the slowest rank counts, and all ranks decide alike by rank 0's clock") {
  constexpr int ranks = 3;
  std::vector<Measurement> measured(ranks);
  std::vector<World> worlds(ranks);
  const auto thrown = run_as_threads(ranks, Seconds{60}, [&](Group& group) {
    const auto me = static_cast<std::size_t>(group.rank());
    World& world = worlds[me];
    // Rank 2 is the slowest in odd operations, rank 1 in even ones; rank 1's clock also began long ago.
    world.now = me == 1 ? 1e6 : 5;
    world.seconds = [me](std::uint64_t n) { return n % 2 == 0 ? (me == 1 ? 3e-3 : 1e-3) : (me == 2 ? 2e-3 : 1e-3); };
    Bench bench(world, 2);
    bench.subject.keep_ranks = true;
    Policy policy;
    policy.max_samples = 200;
    policy.precision = 1e-6;
    measured[me] = measure(bench.subject, group, policy, world.clock());
  });
  for (const auto& each : thrown) CHECK_FALSE(each);
  for (std::size_t r = 0; r < ranks; ++r) {
    CHECK(measured[r].samples == measured[0].samples);
    CHECK(measured[r].reason == measured[0].reason);
    CHECK(measured[r].elapsed == measured[0].elapsed);
    CHECK(worlds[r].operations == worlds[0].operations);
    REQUIRE(measured[r].by_rank.size() == ranks);
    CHECK(measured[r].by_rank[r].size() == measured[r].samples.size());
  }
  REQUIRE(measured[0].samples.size() >= 200);
  for (std::size_t s = 0; s < 200; ++s) {
    CHECK_THAT(measured[0].samples[s].count(), WithinAbs(s % 2 == 0 ? 3e-3 : 2e-3, 1e-7));
    CHECK_THAT(measured[0].by_rank[0][s].count(), WithinAbs(1e-3, 1e-7));
  }
}

TEST_CASE("one rank's mistake is known to all") {
  std::vector<Measurement> measured(4);
  const auto thrown = run_as_threads(4, Seconds{60}, [&](Group& group) {
    const auto me = static_cast<std::size_t>(group.rank());
    World world;
    world.seconds = [](std::uint64_t) { return 1e-3; };
    Bench bench(world, 2);
    int checks = 0;
    bench.subject.check = [&]() -> std::optional<Mistake> {
      if (me < 2 || ++checks != 8) return std::nullopt;
      return Mistake{static_cast<int>(me), 10 * me, "7", "8", me};
    };
    measured[me] = measure(bench.subject, group, Policy{}, world.clock());
  });
  for (const auto& each : thrown) CHECK_FALSE(each);
  for (const Measurement& m : measured) {
    REQUIRE(m.mistake.has_value());
    CHECK(m.mistake->rank == 2);
    CHECK(m.mistake->index == 20);
    CHECK(m.mistake->expected == "7");
    CHECK(m.mistake->got == "8");
    CHECK(m.wrong == 5);
    CHECK_FALSE(m.converged);
  }
}

TEST_CASE("ranks that took different numbers of samples are found out") {
  const auto thrown = run_as_threads(2, Seconds{60}, [&](Group& group) {
    BatchReport mine;
    mine.seconds.resize(group.rank() == 0 ? 2U : 3U);
    (void)exchange_news(group, mine);
  });
  for (const auto& each : thrown) {
    REQUIRE(each);
    CHECK_THROWS_AS(std::rethrow_exception(each), Error);
  }
}

TEST_CASE("the steady clock moves forward") {
  const Clock clock = steady_clock();
  const Seconds first = clock.now();
  CHECK(clock.now() >= first);
}

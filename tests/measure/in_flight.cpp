// Operations in a scripted queue: what is in flight at once, which clock says what, and what is said of what never ends.
#include "bench/measure/in_flight.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/measure/fixed.hpp"
#include "tests/measure/alone.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr double reading = 20e-9;  // seconds that the host's clock takes
constexpr double call = 1e-6;      // that a call takes the host which puts something into the queue
constexpr double waiting = 1e-3;   // between two looks at what will never end

// A host, and a device beside it that does what is in its queue in that order, each as soon as it can.
struct World {
  double now = 100;        // of the host
  double free = 0;         // when the device will have done all that is in its queue
  double pace = 1;         // seconds that the device's clock counts in one of the host's
  std::string log;         // R restore, B barrier, C check, digits: sets
  double seconds = 10e-6;  // of an operation
  double asking = 200e-9;  // seconds that the host takes to ask how far it is
  double resolution = 0.5e-6;
  std::uint64_t operations = 0, stuck_from = std::numeric_limits<std::uint64_t>::max();
  std::deque<double> ends;  // of operations in the queue
  std::size_t most_under_way = 0;

  [[nodiscard]] Clock clock() {
    return {[](void* world) { return Seconds{static_cast<World*>(world)->now += reading}; }, this};
  }
  // When it will be done.
  double put(double takes) {
    now += call;
    return free = std::max(free, now) + takes;
  }
  void put_operation() {
    while (!ends.empty() && ends.front() <= now) ends.pop_front();
    ends.push_back(put(operations++ >= stuck_from ? std::numeric_limits<double>::infinity() : seconds));
    most_under_way = std::max(most_under_way, ends.size());
  }
  [[nodiscard]] bool is_over(double end) { return (now += std::isinf(end) ? waiting : asking) >= end; }
};

// The sixth part of a set's calls at a time, where it has several.
class Operation : public Runnable, public Queued {
 public:
  Operation(World& world, char letter, std::size_t calls = 1) : world_(world), letter_(letter), calls_(calls) {}
  void start() override {
    while (!(calls_left_ == 0 ? begin() : put())) continue;
    end_ = world_.free;
  }
  bool test() override { return world_.is_over(end_); }
  bool begin() override {
    world_.log += letter_;
    calls_left_ = calls_;
    return put();
  }
  bool put() override {
    const std::size_t some = std::max<std::size_t>(1, calls_ / 6);
    calls_left_ -= std::min(calls_left_, some);
    if (calls_left_ != 0) return false;
    world_.put_operation();
    return true;
  }
  [[nodiscard]] std::size_t room() const override { return calls_; }
  void look() override {
    if (!refusal.empty() && world_.operations > world_.stuck_from) throw Error(Fault::lost, refusal);
  }
  std::string refusal;

 private:
  World& world_;
  char letter_;
  std::size_t calls_, calls_left_ = 0;
  double end_ = 0;
};

class ScriptedClock final : public QueueClock {
 public:
  explicit ScriptedClock(World& world) : world_(world) {}
  [[nodiscard]] Seconds resolution() const override { return Seconds{world_.resolution}; }
  std::uint64_t stamp() override {
    stamps_.push_back(world_.put(0));
    return stamps_.size();
  }
  [[nodiscard]] bool reached(std::uint64_t stamp) override { return world_.is_over(at(stamp)); }
  [[nodiscard]] Seconds between(std::uint64_t from, std::uint64_t to) override {
    REQUIRE(at(to) <= world_.now);
    return Seconds{(at(to) - at(from)) * world_.pace};
  }

 private:
  [[nodiscard]] double at(std::uint64_t stamp) const {
    if (stamp + kept_stamps <= stamps_.size()) throw std::logic_error("a stamp that is forgotten");
    return stamps_.at(stamp - 1);
  }
  World& world_;
  std::vector<double> stamps_;
};

struct Bench {
  Bench(World& world, std::size_t sets, std::size_t calls = 1) : clock(world), barrier(world, 'B') {
    for (std::size_t s = 0; s < sets; ++s) operations.emplace_back(world, static_cast<char>('0' + s), calls);
    for (Operation& operation : operations) runnables.push_back(&operation);
    subject.name = "all_reduce ring";
    subject.sets = runnables;
    subject.barrier = &barrier;
    subject.clock = &clock;
    subject.restore = [&world] { world.log += 'R'; };
    subject.check = [&world]() -> std::optional<Mistake> {
      if (!world.ends.empty() && world.ends.back() > world.now) throw std::logic_error("checked while something is in flight");
      world.log += 'C';
      return std::nullopt;
    };
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ScriptedClock clock;
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

bool repeats(const std::string& log, const std::string& batch) {
  if (log.empty() || log.size() % batch.size() != 0) return false;
  for (std::size_t i = 0; i < log.size(); ++i)
    if (log[i] != batch[i % batch.size()]) return false;
  return true;
}

double sum(const std::vector<Seconds>& samples) {
  double sum = 0;
  for (const Seconds sample : samples) sum += sample.count();
  return sum;
}

}  // namespace

TEST_CASE("in a queue: operations follow each other, the device tells each one's time, the host the mean of a batch") {
  World world;
  world.seconds = 1e-3;
  Bench bench(world, 4);
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(40), world.clock());
  CHECK(repeats(world.log, "RB0123C"));
  CHECK(world.most_under_way == 4);  // of one batch all
  CHECK(m.converged);
  CHECK(m.batch == 1);
  CHECK(m.checked == 1);
  CHECK(m.operations == world.operations - (world.operations + 4) / 5);  // without barriers
  REQUIRE(m.samples.size() == 40);
  REQUIRE(m.host_samples.size() == 40);
  for (std::size_t s = 0; s < 40; ++s) {
    // The first one of a batch waits for the host; then nobody waits.
    CHECK_THAT(m.samples[s].count(), WithinAbs(s % 4 == 0 ? 1e-3 + call : 1e-3, 1e-9));
    CHECK_THAT(m.host_samples[s].count(), WithinAbs(1e-3, 1e-6));
    CHECK(m.host_samples[s] == m.host_samples[s - s % 4]);
    CHECK(m.host_samples[s].count() > 1e-3);
  }
  CHECK_THAT(m.clock_cost.count(), WithinAbs(call, 1e-9));  // that the second stamp comes later into an empty queue
}

TEST_CASE("in a queue: what a short operation takes is not hidden by how long the host takes to begin it, nor the reverse") {
  World world;
  Bench bench(world, 4);
  bench.subject.check_every = false;
  Alone group;
  world.seconds = 30e-6;  // the host is ahead
  Measurement m = measure(bench.subject, group, fixed(4000), world.clock());
  CHECK_THAT(m.statistics.median, WithinAbs(30e-6, 0.1e-6));
  CHECK_THAT(sum(m.host_samples) / static_cast<double>(m.host_samples.size()), WithinAbs(30e-6, 0.6e-6));
  world.seconds = 0.1e-6;  // the device waits for it
  m = measure(bench.subject, group, fixed(40'000), world.clock());
  CHECK(m.statistics.median > call);
  CHECK(m.statistics.median < 1.2 * call);
  CHECK(m.batch >= 70);  // a hundred times what the clock takes
  CHECK(m.batch <= 200);
}

TEST_CASE("in a queue: samples are by the device's clock, slower or faster than the host's") {
  for (const double pace : {0.25, 1.0, 8.0}) {
    World world;
    world.pace = pace;
    world.seconds = 2e-3;
    world.asking = 1e-6;
    Bench bench(world, 3);
    Alone group;
    const Measurement m = measure(bench.subject, group, fixed(30), world.clock());
    CAPTURE(pace);
    CHECK_THAT(m.statistics.median, WithinAbs(pace * 2e-3, 1e-8));
    for (const Seconds sample : m.host_samples) CHECK_THAT(sample.count(), WithinAbs(2e-3, 2e-6));
    // When each began is told by the rank's clock.
    REQUIRE(m.starts.front().size() == 30);
    CHECK(m.starts.front().back() < world.now + (pace > 1 ? 1 : 0));
  }
}

TEST_CASE("in a queue: no more is in flight than there is room for") {
  const auto [calls, most] =
      GENERATE(std::pair<std::size_t, std::size_t>{1, InFlight::most}, std::pair<std::size_t, std::size_t>{9, 25},
               std::pair<std::size_t, std::size_t>{100, 2}, std::pair<std::size_t, std::size_t>{380, 2},
               std::pair<std::size_t, std::size_t>{400, 1}, std::pair<std::size_t, std::size_t>{5000, 1});
  World world;
  world.seconds = 2e-3;
  world.asking = 4e-6;
  Bench bench(world, 4, calls);
  bench.subject.check_every = false;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(3000), world.clock());
  CAPTURE(calls);
  CHECK(world.most_under_way <= most);
  CHECK(world.most_under_way >= std::min<std::size_t>(most, 60));  // a batch has that many
  CHECK_THAT(m.statistics.median, WithinAbs(2e-3, 1e-5));
}

TEST_CASE("in a queue: a sample of more iterations than there are stamps is as long as they are together") {
  World world;
  world.seconds = 1.5e-6;
  world.resolution = 200e-6;
  Bench bench(world, 1);
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(300'000), world.clock());
  CHECK(m.batch > InFlight::most / 4 * kept_stamps);
  CHECK_THAT(m.statistics.median, WithinAbs(1.5e-6, 0.02e-6));
}

TEST_CASE("in a queue: what never ends is said as elsewhere, and a peer's death ends the wait") {
  World world;
  world.seconds = 1e-4;
  world.stuck_from = 52;  // of 5 a batch, with its barrier
  Bench bench(world, 4);
  Alone group;
  try {
    (void)measure(bench.subject, group, fixed(1000), world.clock());
    FAIL("returned");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::lost);
    CHECK_THAT(error.what(), ContainsSubstring("all_reduce ring: rank 0 of 1 has waited 30"));
    CHECK_THAT(error.what(), ContainsSubstring("for iteration 41 to complete"));
  }
  world.free = 0;
  world.ends.clear();
  world.operations = 0;
  group.dead = true;
  const double begin = world.now;
  CHECK_THROWS_WITH(measure(bench.subject, group, fixed(1000), world.clock()), "rank 7 is dead");
  CHECK(world.now < begin + 1);
}

TEST_CASE("in a queue: what an operation knows of its end is said at once") {
  World world;
  world.seconds = 1e-4;
  world.stuck_from = 52;  // of 5 a batch, with its barrier
  Bench bench(world, 4);
  for (Operation& operation : bench.operations) operation.refusal = "NCCL has given up";
  Alone group;
  const double begin = world.now;
  CHECK_THROWS_WITH(measure(bench.subject, group, fixed(1000), world.clock()), "NCCL has given up");
  CHECK(world.now < begin + 1);
}

TEST_CASE("in a queue: to start together each is completed alone, by the host's clock") {
  World world;
  world.seconds = 1e-3;
  world.pace = 5;
  Bench bench(world, 3);
  bench.subject.mode = Mode::isolated;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(9), world.clock());
  CHECK(repeats(world.log, "RB0B1B2C"));
  CHECK(world.most_under_way == 1);
  CHECK(m.host_samples.empty());
  CHECK_THAT(m.statistics.median, WithinAbs(1e-3, 2e-6));
}

TEST_CASE("in a queue: what spoils its own input runs once between restores") {
  World world;
  world.seconds = 1e-6;
  Bench bench(world, 3);
  bench.subject.repeatable = false;
  Alone group;
  const Measurement m = measure(bench.subject, group, fixed(30), world.clock());
  CHECK(repeats(world.log, "RB012C"));
  CHECK(m.batch == 3);
  CHECK(m.checked == 1);
}

TEST_CASE("in a queue: of both clocks the slowest rank counts, and ranks without a device's clock are found out") {
  constexpr int ranks = 3;
  std::vector<Measurement> measured(ranks);
  auto thrown = run_as_threads(ranks, Seconds{60}, [&](Group& group) {
    const auto me = static_cast<std::size_t>(group.rank());
    World world;
    world.seconds = me == 1 ? 3e-3 : 1e-3;  // the slowest by the host's clock
    world.pace = me == 2 ? 10 : 1;          // by the device's
    Bench bench(world, 2);
    bench.subject.keep_ranks = true;
    measured[me] = measure(bench.subject, group, fixed(20), world.clock());
  });
  for (const auto& each : thrown) CHECK_FALSE(each);
  for (const Measurement& m : measured) {
    CHECK(m.samples == measured[0].samples);
    CHECK(m.host_samples == measured[0].host_samples);
    REQUIRE(m.host_samples.size() == m.samples.size());
    CHECK(m.slowest[2] == m.samples.size());
    for (std::size_t s = 0; s < m.samples.size(); ++s) {
      CHECK_THAT(m.samples[s].count(), WithinAbs(10e-3, 2e-5));
      CHECK_THAT(m.host_samples[s].count(), WithinAbs(3e-3, 2e-6));
      CHECK_THAT(m.host_by_rank[0].at(s).count(), WithinAbs(1e-3, 2e-6));
    }
  }
  thrown = run_as_threads(2, Seconds{60}, [&](Group& group) {
    World world;
    world.seconds = 1e-3;
    Bench bench(world, 2);
    if (group.rank() == 1) bench.subject.clock = nullptr;
    (void)measure(bench.subject, group, fixed(20), world.clock());
  });
  for (const auto& each : thrown) {
    REQUIRE(each);
    CHECK_THROWS_AS(std::rethrow_exception(each), Error);
  }
}

TEST_CASE("in a queue: a fixed run is put there wholly, unless each is to be waited for, and is timed by the host") {
  World world;
  world.seconds = 1e-3;
  world.pace = 3;
  Bench bench(world, 2);
  Alone group;
  FixedRun run;
  run.iterations = 30;
  run.aggregated = 2;
  run.warm_up = 0;
  run.checks = 0;
  FixedMeasurement m = measure_fixed(bench.subject, group, run, world.clock());
  std::string expected = "R01B";
  for (int i = 0; i < 30; ++i) expected += "01";
  CHECK(world.log == expected + "B");
  CHECK(world.most_under_way == 60);
  CHECK_THAT(m.time.count(), WithinAbs(1e-3, 1e-7));
  CHECK(m.by_rank.empty());
  CHECK(m.operations == 62);

  run.per_iteration = true;
  m = measure_fixed(bench.subject, group, run, world.clock());
  REQUIRE(m.by_rank.size() == 1);
  REQUIRE(m.by_rank[0].size() == 30);
  for (const Seconds seconds : m.by_rank[0]) CHECK_THAT(seconds.count(), WithinAbs(3e-3, 1e-5));

  world.most_under_way = 0;
  run.blocking = Blocking::wait;
  m = measure_fixed(bench.subject, group, run, world.clock());
  CHECK(world.most_under_way == 1);
  CHECK_THAT(m.time.count(), WithinAbs(1e-3, 5e-6));

  run = {};
  run.iterations = 1000;
  run.limit = Seconds{0.1};
  CHECK_THROWS_WITH(measure_fixed(bench.subject, group, run, world.clock()), ContainsSubstring("not done within the 0.1 s"));
}

TEST_CASE("in a queue: an operation that is not in it alone is a mistake of who asks") {
  class Other final : public Runnable {
    void start() override {}
    bool test() override { return true; }
  } other;
  World world;
  ScriptedClock clock(world);
  Runnable* const sets[] = {&other};
  MeasuredOperation subject;
  subject.sets = sets;
  subject.clock = &clock;
  Alone group;
  CHECK_THROWS_AS(measure(subject, group, Policy{}, world.clock()), std::invalid_argument);
}

// The loop of nccl-tests with scripted operations and clocks: what runs when, and what is counted.
#include "bench/measure/fixed.hpp"

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// One rank's world, whose clock moves only when operations and barriers run.
struct World {
  double now = 100;
  std::string log;  // R restore, B barrier, C check, digits: sets
  double seconds = 1e-3;

  [[nodiscard]] Clock clock() {
    return {[](void* world) { return Seconds{static_cast<World*>(world)->now}; }, this};
  }
};

// Half of its time passes in start(), the other in test().
class Operation : public Runnable {
 public:
  Operation(World& world, char letter, double seconds) : world_(world), letter_(letter), seconds_(seconds) {}
  void start() override {
    world_.log += letter_;
    world_.now += seconds_ / 2;
  }
  bool test() override {
    world_.now += seconds_ / 2;
    return true;
  }

 private:
  World& world_;
  char letter_;
  double seconds_;
};

struct Bench {
  Bench(World& world, std::size_t sets) : barrier(world, 'B', 0.5) {
    for (std::size_t s = 0; s < sets; ++s) operations.emplace_back(world, static_cast<char>('0' + s), world.seconds);
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

struct Outcome {
  std::string log;
  FixedMeasurement measurement;
};

// One rank alone.
Outcome outcome_of(const FixedRun& run, std::size_t sets = 1) {
  Outcome outcome;
  const auto thrown = run_as_threads(1, Seconds{60}, [&](Group& group) {
    World world;
    Bench bench(world, sets);
    outcome.measurement = measure_fixed(bench.subject, group, run, world.clock());
    outcome.log = world.log;
  });
  if (thrown.front()) std::rethrow_exception(thrown.front());
  return outcome;
}

// What rank 1 of three says, whose operations take 1, 2 and 6 ms.
FixedMeasurement of_three(FixedRun run) {
  std::vector<FixedMeasurement> all(3);
  const auto thrown = run_as_threads(3, Seconds{60}, [&](Group& group) {
    World world;
    world.seconds = group.rank() == 0 ? 1e-3 : group.rank() == 1 ? 2e-3 : 6e-3;
    Bench bench(world, 1);
    if (group.rank() == 2) bench.subject.check = [] { return std::optional(Mistake{2, 7, "1", "2", 5}); };
    all[static_cast<std::size_t>(group.rank())] = measure_fixed(bench.subject, group, run, world.clock());
  });
  for (const auto& error : thrown)
    if (error) std::rethrow_exception(error);
  CHECK(all[0].time == all[1].time);
  CHECK(all[2].time == all[1].time);
  return all[1];
}

}  // namespace

TEST_CASE("one more than the warm-up, a barrier, the iterations, another barrier, and a check of all sets after them") {
  FixedRun run;
  run.warm_up = 1;
  run.iterations = 3;
  const Outcome outcome = outcome_of(run, 2);
  CHECK(outcome.log ==
        "R"
        "01"
        "B"
        "010"
        "B"
        "RB01C");
  CHECK_THAT(outcome.measurement.time.count(), WithinAbs(1e-3, 1e-9));
  CHECK(outcome.measurement.by_rank.empty());
}

TEST_CASE("an iteration has as many operations as were aggregated, and the time is that of one") {
  FixedRun run;
  run.warm_up = 0;
  run.iterations = 2;
  run.aggregated = 3;
  run.checks = 0;
  const Outcome outcome = outcome_of(run);
  CHECK(outcome.log == "R000B000000B");
  CHECK_THAT(outcome.measurement.time.count(), WithinAbs(1e-3, 1e-9));
}

TEST_CASE("as many checks as were asked for, each on fresh data") {
  FixedRun run;
  run.warm_up = 0;
  run.iterations = 1;
  run.checks = 3;
  CHECK(outcome_of(run).log ==
        "R0B0B"
        "RB0C"
        "RB0C"
        "RB0C");
}

TEST_CASE("a barrier after each iteration is timed, or is not") {
  FixedRun run;
  run.iterations = 4;
  run.checks = 0;
  run.blocking = Blocking::barrier;
  const Outcome timed = outcome_of(run);
  CHECK(timed.log == "R00B0B0B0B0BB");
  CHECK_THAT(timed.measurement.time.count(), WithinAbs(0.501, 1e-9));
  run.blocking = Blocking::untimed_barrier;
  const Outcome untimed = outcome_of(run);
  CHECK(untimed.log == timed.log);
  CHECK_THAT(untimed.measurement.time.count(), WithinAbs(1e-3, 1e-9));
}

TEST_CASE("the time of starting alone") {
  FixedRun run;
  run.launch_time = true;
  CHECK_THAT(outcome_of(run).measurement.time.count(), WithinAbs(0.5e-3, 1e-9));
}

TEST_CASE("the times of single iterations, of each rank") {
  FixedRun run;
  run.iterations = 5;
  run.aggregated = 2;
  run.per_iteration = true;
  const FixedMeasurement m = of_three(run);
  REQUIRE(m.by_rank.size() == 3);
  for (const auto& times : m.by_rank) CHECK(times.size() == 5);
  CHECK_THAT(m.by_rank[2][4].count(), WithinAbs(6e-3, 1e-9));
}

TEST_CASE("ranks are averaged as asked, and wrong elements are those of all") {
  FixedRun run;
  run.checks = 2;
  for (const auto& [average, milliseconds] : std::vector<std::pair<Average, double>>{
           {Average::rank_0, 1}, {Average::mean, 3}, {Average::least, 1}, {Average::most, 6}}) {
    run.average = average;
    const FixedMeasurement m = of_three(run);
    CHECK_THAT(m.time.count(), WithinAbs(milliseconds * 1e-3, 1e-9));
    CHECK(m.wrong == 10);
    REQUIRE(m.mistake);
    CHECK(m.mistake->rank == 2);
  }
}

TEST_CASE("a limit ends it with a sentence") {
  FixedRun run;
  run.iterations = 1000;
  run.limit = Seconds(0.1);
  try {
    (void)outcome_of(run);
    FAIL("no end");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::inconclusive);
    CHECK_THAT(error.what(), ContainsSubstring("all_reduce ring: not done within the 0.1 s"));
  }
  run.limit = Seconds(10);
  (void)outcome_of(run);
}

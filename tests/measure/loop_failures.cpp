#include "tests/measure/loop_cases.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::test::loop;

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

// Who is slow at times, over a made-up cluster with a clock of its own.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/validate/method/power.hpp"
#include "bench/validate/method/spells.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/validate/cluster.hpp"

namespace railgauge::validate {
namespace {

using test::ContainsSubstring;
using test::WithinAbs;

struct Flap {
  std::size_t host = 0;
  double share = 0, period = 1, phase = 0, left = 0.1;
  // Of the time between two moments in which it is slow.
  [[nodiscard]] double slow_between(double from, double to) const {
    const auto until = [&](double moment) {
      const double turns = (moment + phase) / period, whole = std::floor(turns);
      return period * (whole * share + std::min(share, turns - whole));
    };
    return (until(to) - until(from)) / (to - from);
  }
};

Cluster flapping(std::size_t hosts, const Flap& flap, std::uint64_t seed) {
  Cluster cluster(hosts);
  cluster.random.seed(seed);
  if (flap.share > 0)
    cluster.at_times = [flap](std::size_t host, double from, double to) {
      if (host != flap.host) return 1.0;
      const double slow = flap.slow_between(from, to);
      return slow * flap.left + (1 - slow);
    };
  return cluster;
}

// Pairs and the stage watch, within so many seconds of the cluster's clock.
validation::Validation watched(Cluster& cluster, double budget, std::uint64_t seed, bool quick = false) {
  ValidationOptions options = relative();
  options.seed = seed;
  options.quick = quick;
  options.measured = Seconds(quick ? 0.2 : 0.3);
  ValidationRun run(cluster.members(), options,
                    [&](const std::string& key, std::vector<Order> orders) { return cluster.carry_out(key, std::move(orders)); });
  using Clock = std::chrono::steady_clock;
  const auto after = [](double seconds) {
    return Clock::time_point(std::chrono::duration_cast<Clock::duration>(Seconds(seconds)));
  };
  run.now = [&] { return after(cluster.clock); };
  run.until = after(budget);
  run.watches = true;
  for (const auto stage : {&run_pairs, &run_watch}) {
    validation::Stage told;
    stage(run, told);
    run.found.stages.push_back(told);
  }
  tell_unwatched(run);
  conclude(run.found, false);
  return run.found;
}

int campaign() {
  const char* const asked = std::getenv("RAILGAUGE_WATCHES");
  return asked == nullptr ? 0 : std::atoi(asked);
}
std::uint64_t campaign_seed(std::uint64_t otherwise) {
  const char* const asked = std::getenv("RAILGAUGE_WATCHES_SEED");
  return asked == nullptr ? otherwise : std::strtoull(asked, nullptr, 10);
}

struct Tally {
  int runs = 0, within = 0, found = 0, found_within = 0, falsely = 0, open = 0, periods = 0;
  double power = 0;
};

Tally watch_many(std::size_t hosts, Flap flap, double budget, bool quick, int runs, std::uint64_t seed) {
  Tally tally;
  std::mt19937_64 draws(seed);
  const auto uniform = [&] { return static_cast<double>(draws() >> 11U) * 0x1p-53; };
  for (int i = 0; i < runs; ++i) {
    flap.host = draws() % hosts;
    flap.phase = uniform() * flap.period;
    Cluster cluster = flapping(hosts, flap, draws());
    const validation::Validation found = watched(cluster, budget, draws(), quick);
    const std::string name = "n" + std::to_string(flap.host);
    bool right = false;
    for (const validation::Diagnosis& diagnosis : found.diagnoses) {
      if (!diagnosis.faulty) continue;
      if (flap.share > 0 && diagnosis.host == name)
        right = true;
      else
        ++tally.falsely;
      if (diagnosis.sentence.find("about every") != std::string::npos) ++tally.periods;
    }
    ++tally.runs;
    const double stated = found.power.share_of_time.value_or(1);
    tally.power += stated / runs;
    if (flap.share >= stated) ++tally.within;
    if (right) ++tally.found;
    if (right && flap.share >= stated) ++tally.found_within;
    if (found.outcome == validation::Outcome::inconclusive) ++tally.open;
  }
  std::printf(
      "%3zu hosts, %2.0f %% of the time, every %4.1f s, %s %3.0f s: found %d of %d (stated to be seen: %d of %d; %.1f %%), "
      "falsely %d, open %d, period told %d; seed %llu\n",
      hosts, 100 * flap.share, flap.period, quick ? "quick" : "whole", budget, tally.found, tally.runs, tally.found_within,
      tally.within, 100 * tally.power, tally.falsely, tally.open, tally.periods, static_cast<unsigned long long>(seed));
  return tally;
}

}  // namespace

TEST_CASE("watch: who is slow at times is found where the stated power says so, and nobody else") {
  const std::uint64_t seed = campaign_seed(41);
  const int runs = std::max(test::usual_or_thorough(1, 3), campaign());
  int found = 0, within = 0;
  for (const std::size_t hosts : {4, 8})
    for (const double period : {0.5, 3.0, 20.0})
      for (const double share : {0.05, 0.1, 0.33, 0.6}) {
        const Tally tally = watch_many(hosts, {0, share, period}, 180, false, runs, seed);
        CHECK(tally.falsely == 0);
        if (runs > 1) CHECK(tally.found_within >= 0.9 * tally.within - 1);
        found += tally.found_within;
        within += tally.within;
      }
  CHECK(within > 0);
  CHECK(found >= 0.95 * within - 1);
}

TEST_CASE("watch: a quick look finds a third of the time, and says what it may have missed") {
  const std::uint64_t seed = campaign_seed(42);
  const int runs = std::max(test::usual_or_thorough(1, 3), campaign());
  int found = 0, all = 0;
  for (const std::size_t hosts : {4, 8})
    for (const double period : {0.5, 3.0}) {
      const Tally tally = watch_many(hosts, {0, 0.33, period}, 60, true, runs, seed);
      CHECK(tally.falsely == 0);
      CHECK(tally.within == tally.runs);
      found += tally.found;
      all += tally.runs;
    }
  CHECK(found >= 0.95 * all - 1);
}

TEST_CASE("watch: nobody is found where all is well") {
  const std::uint64_t seed = campaign_seed(43);
  for (const std::size_t hosts : {3, 4, 7, 8}) {
    const Tally tally = watch_many(hosts, {}, 180, hosts % 2 == 1, std::max(test::usual_or_thorough(1, 3), campaign()), seed);
    CHECK(tally.falsely == 0);
    CHECK(tally.open == 0);
    CHECK(tally.power < 0.5);
  }
}

TEST_CASE("watch: of 128 hosts one that is slow at times is found", "[long]") {
  const Tally tally = watch_many(128, {0, 0.1, 3}, 180, false, std::max(1, campaign() / 10), campaign_seed(44));
  CHECK(tally.falsely == 0);
  CHECK(tally.found == tally.runs);
}

TEST_CASE("watch: the sentence says how often, to what, and in which period") {
  Cluster cluster = flapping(4, {2, 0.33, 3}, 5);
  const validation::Validation found = watched(cluster, 180, 6);
  REQUIRE(found.diagnoses.size() == 1);
  INFO(found.diagnoses[0].sentence);
  CHECK(found.diagnoses[0].faulty);
  CHECK(found.diagnoses[0].host == "n2");
  CHECK(found.diagnoses[0].blame == Blame::unstable);
  CHECK_THAT(found.diagnoses[0].sentence, ContainsSubstring("slow at times") && ContainsSubstring("GB/s"));
}

TEST_CASE("watch: a host whose 99th percentile of latency is far longer is found, where hosts do not share cores") {
  for (const std::size_t hosts : {4, 8})
    for (const double tail : {1.0, 1.5, 10.0}) {
      INFO(hosts << " hosts, " << tail << " times the others' tail");
      Cluster cluster(hosts);
      cluster.tails[2] = tail;
      const std::vector<std::string> named = faulty(watched(cluster, 60, 5, true));
      CHECK(named == (tail > 2 ? std::vector<std::string>{"n2 latency"} : std::vector<std::string>()));
    }
}

TEST_CASE("watch: one stage without pairs before it, or with two hosts, is skipped with a reason") {
  Cluster cluster(2);
  ValidationRun run(cluster.members(), {},
                    [&](const std::string& key, std::vector<Order> orders) { return cluster.carry_out(key, std::move(orders)); });
  validation::Stage told;
  run_watch(run, told);
  CHECK(told.state == validation::StageState::skipped);
  CHECK_THAT(told.reason, ContainsSubstring("no pairs"));
  CHECK_FALSE(run.found.power.share_of_time);
}

TEST_CASE("watch: who was left to it and not watched is told, and nothing passes") {
  Cluster cluster = flapping(4, {2, 0.33, 3}, 5);
  ValidationRun run(cluster.members(), {},
                    [&](const std::string& key, std::vector<Order> orders) { return cluster.carry_out(key, std::move(orders)); });
  run.watches = true;
  validation::Stage told;
  run_pairs(run, told);
  REQUIRE_FALSE(run.seen.open.empty());
  CHECK(run.found.diagnoses.empty());
  tell_unwatched(run);
  conclude(run.found, false);
  CHECK(run.found.outcome == validation::Outcome::inconclusive);
  CHECK(run.found.hosts[2].state == validation::HostState::doubtful);
}

TEST_CASE("power: the more looks, the smaller a share is seen") {
  double before = 1;
  for (const Index looks : {4U, 12U, 50U, 200U, 1000U}) {
    const PowerOfTimes it = power_of(looks, 0.004, 0.006);
    INFO(looks);
    CHECK(it.hits >= 2);
    CHECK(it.share < before);
    before = it.share;
    // Exactly what is asked of it: k or more of n by chance, and with the fault.
    double missed = 0, term = std::pow(1 - it.share, looks);
    for (Index k = 0; k < it.hits; ++k) {
      missed += term;
      term *= (looks - k) / (k + 1.0) * it.share / (1 - it.share);
    }
    CHECK_THAT(missed, WithinAbs(1 - stated_power, 1e-6));
  }
  CHECK(power_of(1, 0.004, 0.006).share == 1);
  const Index needed = looks_for(0.05, 0.004, 0.006, 1000);
  CHECK(power_of(needed, 0.004, 0.006).share <= 0.05);
  CHECK(needed < 300);
  CHECK(looks_for(0.001, 0.1, 1e-9, 500) == 500);
}

TEST_CASE("spells: a period is told where there is one, and not of chance") {
  std::mt19937_64 draws(71);
  const auto uniform = [&] { return static_cast<double>(draws() >> 11U) * 0x1p-53; };
  int told = 0;
  for (int run = 0; run < 50; ++run) {
    for (const double period : {1.5, 3.0, 20.0}) {
      const Flap flap{0, 0.3, period, uniform() * period};
      std::vector<Look> looks;
      for (double at = 0; at < 12 * period; at += 0.2 + 0.2 * uniform())
        looks.push_back({Seconds(at), flap.slow_between(at, at + 0.05) > 0.5});
      const std::optional<Seconds> its = period_of(looks);
      INFO(period);
      REQUIRE(its);
      CHECK_THAT(its->count(), WithinAbs(period, 0.1 * period));
    }
    std::vector<Look> chance;
    bool low = false;
    for (double at = 0; at < 60; at += 0.2 + 0.2 * uniform()) {
      if (uniform() < (low ? 0.3 : 0.1)) low = !low;
      chance.push_back({Seconds(at), low});
    }
    if (period_of(chance)) ++told;
  }
  CHECK(told <= 5);
  CHECK_FALSE(period_of({}));
}

}  // namespace railgauge::validate

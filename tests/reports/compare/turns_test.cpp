// Launches one after the other whose truth is known: how often the verdict on them is right, and what it costs.
#include "reports/gate/paired_sequential_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/statistics/draws.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge::compare;
using railgauge::test::WithinAbs;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// Two builds on a machine that is not quiet.
struct Machine {
  std::size_t cases = 8;
  double moment = 0.10;        // standard deviation of what a moment does to all that runs in it, as a logarithm
  double shared = 0.95;        // correlation of the moments of a pair
  double own = 0.03;           // of a case of a launch
  double hits = 0;             // share of the times that something else disturbed
  double modes = 0;            // by so much longer takes every other case of a launch at random: memory that lies badly
  std::vector<double> slower;  // of the first cases: 0.2 takes 20 % longer
};

Pair pair_of(const Machine& machine, Draws& draws) {
  const double both = machine.moment * std::sqrt(machine.shared), apart = machine.moment * std::sqrt(1 - machine.shared);
  const double moment = both * draws.normal();
  std::vector<double> times[2];
  for (std::vector<double>& side : times) {
    const double launch = moment + apart * draws.normal();
    for (std::size_t i = 0; i < machine.cases; ++i)
      side.push_back(launch + machine.own * draws.normal() + (draws.uniform() < 0.5 ? std::log1p(machine.modes) : 0) +
                     (draws.uniform() < machine.hits ? 3 * draws.uniform() : 0));  // up to twenty times as long
  }
  Pair pair;
  for (std::size_t i = 0; i < machine.cases; ++i)
    pair.push_back(times[1][i] - times[0][i] + (i < machine.slower.size() ? std::log1p(machine.slower[i]) : 0));
  return pair;
}

struct Tally {
  int gates = 0, stopped = 0, suspected = 0;
  double pairs = 0;
  [[nodiscard]] double share() const { return static_cast<double>(stopped) / gates; }
};

Tally simulate(const char* what, const Machine& machine, int gates, std::uint64_t seed) {
  Draws draws(seed);
  Tally tally;
  for (; tally.gates < gates; ++tally.gates) {
    PairedSequentialTest turns({});
    for (; turns.wanted() > 0; tally.pairs += 1) turns.add(pair_of(machine, draws));
    tally.stopped += turns.slower() ? 1 : 0;
    tally.suspected += turns.suspected() ? 1 : 0;
  }
  std::printf("%s: stopped in %.2f %%, suspected in %.1f %% of %d, by %.1f pairs (seed %llu)\n", what, 100 * tally.share(),
              100.0 * tally.suspected / gates, gates, tally.pairs / gates, static_cast<unsigned long long>(seed));
  return tally;
}

int gates(int in_full) {
  const char* const asked = std::getenv("RAILGAUGE_HISTORIES");
  return asked != nullptr ? 20 * std::stoi(asked) : railgauge::test::usual_or_thorough(in_full / 4, in_full);
}

std::vector<Pair> pairs_of(const Machine& machine, std::size_t count, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<Pair> pairs;
  while (pairs.size() < count) pairs.push_back(pair_of(machine, draws));
  return pairs;
}

}  // namespace

TEST_CASE("interleaved launches: builds that are alike are called different twice in 1,000 at most") {
  const int count = gates(2000);
  const double most = 0.002 + 3 * std::sqrt(0.002 / count);  // three standard errors
  Machine machine;
  CHECK(simulate("alike", machine, count, 501).share() <= most);
  machine.cases = 40;
  CHECK(simulate("alike, 40 cases", machine, count / 4, 502).share() <= 0.002 + 3 * std::sqrt(0.002 / (count / 4)));
  machine = {};
  machine.cases = 1;
  CHECK(simulate("alike, one case", machine, count, 503).share() <= most);
  machine = {};
  machine.modes = 0.3;
  CHECK(simulate("alike, memory that lies badly by 30 % in every other case", machine, count, 504).share() <= most);
  machine.modes = 0;
  machine.hits = 0.1;
  CHECK(simulate("alike, every tenth time disturbed", machine, count, 506).share() <= most);
  machine = {};
  machine.slower.assign(8, 0.02);
  CHECK(simulate("2 % longer, which counts as alike", machine, count, 505).share() <= most);
}

TEST_CASE("interleaved launches: 20 % longer in 2 of 8 cases is found in at least 97 %", "[long]") {
  const int count = gates(1000);
  Machine machine;
  machine.slower = {0.2, 0.2};
  CHECK(simulate("20 % in 2 of 8 cases", machine, count, 511).share() >= 0.97);
  machine.slower.assign(8, 0.2);
  CHECK(simulate("20 % in all of 8 cases", machine, count, 512).share() >= 0.97);
  machine.hits = 0.05;
  CHECK(simulate("20 % in all of 8 cases, every twentieth time disturbed", machine, count, 515).share() >= 0.97);
  machine.hits = 0;
  machine.slower = {0.2, 0.2, -0.2, -0.2};
  CHECK(simulate("20 % in 2, and 2 as much faster", machine, count, 513).share() >= 0.9);
  machine.slower.assign(8, 0.2);
  machine.own = 0.15;
  machine.shared = 0.5;
  (void)simulate("20 % in all of 8 cases, a machine four times as noisy", machine, count, 514);
}

TEST_CASE("interleaved launches: the cases that are slower are named, and only they") {
  Machine machine;
  machine.slower = {0, 0.3, 0, 0.5};
  Draws draws(521);
  PairedSequentialTest turns({});
  while (turns.wanted() > 0) turns.add(pair_of(machine, draws));
  REQUIRE(turns.slower());
  CHECK(turns.pairs() == 9);
  REQUIRE(turns.parts().size() == 9);
  for (std::size_t part = 0; part < 9; ++part) CHECK(turns.slower(part) == (part == 1 || part == 3));
  CHECK_THAT(turns.parts()[1].change, WithinAbs(std::log(1.3), 0.06));
  CHECK_THAT(turns.parts()[1].spread, WithinAbs(0.05, 0.035));
}

TEST_CASE("interleaved launches: chances are shares of the assignments of signs") {
  const std::vector<Pair> slower{{0.2}, {0.21}, {0.19}, {0.2}};
  const std::vector<CaseChange> parts = parts_of(slower, 0.02, 1);
  REQUIRE(parts.size() == 2);  // the case, and the median over it
  CHECK(parts[0].chance == 1.0 / 16);
  CHECK(parts[1].chance == 1.0 / 16);
  const std::vector<Pair> faster{{-0.2}, {-0.21}, {-0.19}, {-0.2}};
  CHECK(parts_of(faster, 0.02, 1)[0].chance == 1);
  CHECK(parts_of({}, 0.02, 1).empty());
  // More pairs than have all their assignments gone through: the same, drawn.
  const std::vector<Pair> alike = pairs_of({}, 13, 531), many = pairs_of({.slower = {0.3}}, 13, 532);
  CHECK(parts_of(many, 0.02, 1)[0].chance <= 0.002);
  CHECK(parts_of(alike, 0.02, 1)[0].chance > 0.05);
  CHECK(parts_of(alike, 0.02, 1)[0].chance == parts_of(alike, 0.02, 1)[0].chance);
}

TEST_CASE("interleaved launches: what a pair lacks says nothing") {
  std::vector<Pair> pairs = pairs_of({.slower = {0.3, 0.3}}, 8, 541);
  for (Pair& pair : pairs) pair[0] = nan_value;
  pairs[2][1] = nan_value;
  const std::vector<CaseChange> parts = parts_of(pairs, 0.02, 1);
  CHECK(std::isnan(parts[0].change));
  CHECK(parts[0].chance == 1);
  CHECK(parts[1].chance <= 2.0 / 256);
  PairedSequentialTest turns({});
  while (turns.wanted() > 0) turns.add({nan_value, nan_value});
  CHECK_FALSE(turns.suspected());
  CHECK(turns.pairs() == 4);
}

// Who is named after measuring again, in simulated machines: nobody where all are alike, however wild the noise, and whoever is
// slow.
#include "reports/pairs/pair_trials.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "base/statistics/draws.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

using Outcome = PairFinding::Outcome;

constexpr std::uint64_t seed = 20260114;

// Times of messages between ranks of which some are slow, with noise.
struct Machine {
  int ranks = 4;
  double noise = 0.05;               // standard deviation of the logarithm of a time
  double disturbed = 0;              // share of times that are disturbed,
  double disturbance = 1;            // and by how much
  int slow = -1;                     // rank
  double send = 1, receive = 1;      // times as slow
  int slow_from = -1, slow_to = -1;  // a pair
  compare::Draws draws{seed};

  double time(int from, int to) {
    double log = std::log(1e-5) + noise * draws.normal();
    if (draws.uniform() < disturbed) log += std::log(disturbance);
    if (from == slow) log += std::log(send);
    if (to == slow) log += std::log(receive);
    if (from == slow_from && to == slow_to) log += std::log(2.0);
    return std::exp(log);
  }
  PairMatrix matrix() {
    PairMatrix seen(ranks);
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to)
        if (from != to) seen.set(from, to, time(from, to));
    return seen;
  }
};

struct Ended {
  std::vector<PairFinding> findings;
  std::size_t comparisons = 0;
  [[nodiscard]] std::size_t count(Outcome outcome) const {
    std::size_t count = 0;
    for (const PairFinding& finding : findings) count += finding.outcome == outcome ? 1 : 0;
    return count;
  }
  [[nodiscard]] bool names(int from, int to) const {
    for (const PairFinding& finding : findings)
      if (finding.from == from && finding.to == to && finding.outcome == Outcome::slow) return true;
    return false;
  }
};

// Each comparison takes 0.3 s.
Ended decide(Machine& machine, PairTrials& trials) {
  Ended ended;
  while (const auto comparison = trials.next()) {
    std::vector<double> seconds;
    for (const PairComparison::Term& term : comparison->terms) seconds.push_back(machine.time(term.from, term.to));
    trials.add(*comparison, seconds, Seconds{0.3 * static_cast<double>(++ended.comparisons)});
    REQUIRE(ended.comparisons < 20'000);
  }
  ended.findings = trials.findings();
  return ended;
}

TrialOptions seeded(std::uint64_t with) {
  TrialOptions options;
  options.seed = with;
  return options;
}

Ended run(Machine& machine, std::uint64_t with, bool both_ways = false) {
  PairTrials trials(machine.matrix(), both_ways, seeded(with));
  return decide(machine, trials);
}

}  // namespace

TEST_CASE("where all are alike nobody is named after measuring again, however wild the noise") {
  const std::vector<Machine> machines = {{.noise = 0.05},
                                         {.noise = 0.5},
                                         {.noise = 1.5},
                                         {.noise = 0.1, .disturbed = 0.3, .disturbance = 100},
                                         {.ranks = 3, .noise = 0.8},
                                         {.ranks = 12, .noise = 0.6, .disturbed = 0.1, .disturbance = 10},
                                         {.ranks = 2, .noise = 0.5}};
  std::size_t suspects = 0;
  for (const Machine& kind : machines)
    for (std::uint64_t turn = 0; turn < 300; ++turn) {
      Machine machine = kind;
      machine.draws = compare::Draws(seed + turn);
      const Ended ended = run(machine, seed ^ turn, turn % 2 == 1);
      INFO("seed " << seed << ", turn " << turn << ", " << machine.ranks << " ranks, noise " << machine.noise);
      CHECK(ended.count(Outcome::slow) == 0);
      suspects += ended.findings.size();
    }
  CHECK(suspects > 500);  // there was somebody to clear
}

TEST_CASE("a rank at half speed is named, and nobody else") {
  for (const double noise : {0.02, 0.2, 0.4}) {
    int named = 0, others = 0;
    for (std::uint64_t turn = 0; turn < 200; ++turn) {
      Machine machine{.noise = noise, .slow = static_cast<int>(turn % 4), .send = 2, .receive = 2};
      machine.draws = compare::Draws(seed + turn);
      PairMatrix seen(4);
      {  // the matrix is of medians, with less noise than one comparison has
        Machine quiet = machine;
        quiet.noise = noise / 4;
        seen = quiet.matrix();
      }
      PairTrials trials(seen, false, seeded(turn));
      const Ended ended = decide(machine, trials);
      const bool sends = ended.names(machine.slow, -1), receives = ended.names(-1, machine.slow);
      named += sends || receives ? 1 : 0;
      others += static_cast<int>(ended.count(Outcome::slow)) - (sends ? 1 : 0) - (receives ? 1 : 0);
    }
    INFO("seed " << seed << ", noise " << noise << ": named " << named << " times, others " << others << " times");
    CHECK(named >= 190);
    CHECK(others <= 4);
  }
}

TEST_CASE("a rank that only sends slowly is named for that") {
  Machine machine{.noise = 0.05, .slow = 2, .send = 2};
  const Ended ended = run(machine, 1);
  CHECK(ended.names(2, -1));
  CHECK_FALSE(ended.names(-1, 2));
}

TEST_CASE("a slow pair is named as a pair, for two ranks as well") {
  for (const int ranks : {2, 3, 4, 9}) {
    INFO(ranks << " ranks");
    Machine machine{.ranks = ranks, .noise = 0.02, .slow_from = 0, .slow_to = 1};
    const Ended ended = run(machine, 3);
    CHECK(ended.names(0, 1));
    CHECK(ended.count(Outcome::slow) == 1);
  }
}

TEST_CASE("a rank that is slower by less than counts is not named") {
  for (std::uint64_t turn = 0; turn < 100; ++turn) {
    Machine machine{.noise = 0.05, .slow = 1, .send = 1.1, .receive = 1.1};
    machine.draws = compare::Draws(seed + turn);
    Machine worse = machine;
    worse.send = worse.receive = 1.6;  // as it looked at first
    PairTrials trials(worse.matrix(), false, seeded(turn));
    const Ended ended = decide(machine, trials);
    INFO("seed " << seed << ", turn " << turn);
    CHECK(ended.count(Outcome::slow) == 0);
    CHECK(ended.count(Outcome::cleared) >= 1);
  }
}

TEST_CASE("who is named was slow for some seconds") {
  Machine machine{.noise = 0.01, .slow = 1, .send = 2, .receive = 2};
  PairTrials trials(machine.matrix(), false, seeded(1));
  Seconds now{0};
  while (const auto comparison = trials.next()) {
    std::vector<double> seconds;
    for (const PairComparison::Term& term : comparison->terms) seconds.push_back(machine.time(term.from, term.to));
    now += Seconds{0.01};
    trials.add(*comparison, seconds, now);
    REQUIRE(now < Seconds{100});
  }
  CHECK(now >= TrialOptions{}.least_span);
  CHECK(trials.findings().at(0).outcome == Outcome::slow);
}

TEST_CASE("what cannot be measured again stays inconclusive") {
  Machine machine{.noise = 0.01, .slow = 1, .send = 2, .receive = 2};
  PairTrials trials(machine.matrix(), false, seeded(1));
  while (const auto comparison = trials.next()) {
    const std::vector<double> seconds(comparison->terms.size(), std::numeric_limits<double>::quiet_NaN());
    trials.add(*comparison, seconds, Seconds{0});
  }
  REQUIRE_FALSE(trials.findings().empty());
  for (const PairFinding& finding : trials.findings()) {
    CHECK(finding.outcome == Outcome::inconclusive);
    CHECK(finding.comparisons == 0);
  }
}

TEST_CASE("of many suspects some are measured again, and the others are inconclusive") {
  PairMatrix matrix(40);
  for (int from = 0; from < 40; ++from)
    for (int to = 0; to < 40; ++to) matrix.set(from, to, 1e-5 * (from < 18 ? 3 : 1));
  Machine machine{.ranks = 40, .noise = 0.01};
  PairTrials trials(matrix, false, seeded(1));
  const Ended ended = decide(machine, trials);
  REQUIRE(ended.findings.size() == 18);
  CHECK(ended.count(Outcome::cleared) == TrialOptions{}.most_suspects);
  CHECK(ended.count(Outcome::inconclusive) == 18 - TrialOptions{}.most_suspects);
}

TEST_CASE("a comparison has the suspect, others, and weights that cancel") {
  for (const bool both_ways : {false, true}) {
    Machine machine{.ranks = 6, .noise = 0.3, .slow = 2, .send = 3, .receive = 3, .slow_from = 0, .slow_to = 4};
    PairTrials trials(machine.matrix(), both_ways, seeded(5));
    std::set<int> partners;
    for (int turn = 0; turn < 60; ++turn) {
      const auto comparison = trials.next();
      if (!comparison) break;
      const PairFinding suspect = trials.findings().at(comparison->trial);
      double sum = 0;
      for (const PairComparison::Term& term : comparison->terms) {
        sum += term.weight;
        CHECK(term.from != term.to);
        if (suspect.from < 0 || suspect.to < 0) {
          const int rank = std::max(suspect.from, suspect.to);
          CHECK((term.from == rank || term.to == rank) == (term.weight > 0));
          partners.insert(term.from == rank ? term.to : term.from);
        }
      }
      CHECK(std::fabs(sum) < 1e-12);
      trials.add(*comparison, std::vector<double>(comparison->terms.size(), 1e-5), Seconds{0});
    }
  }
}

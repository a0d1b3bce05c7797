// Who cannot be reached, from who met whom.
#include "bench/validate/method/reach.hpp"

#include <vector>

#include "base/error.hpp"
#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::validate;

namespace {

using Cause = Unreached::Cause;

Fleet fleet_of(Index hosts) {
  Fleet fleet;
  for (Index i = 0; i < hosts; ++i) fleet.hosts.push_back({"n" + std::to_string(i), "", npos, {}});
  return fleet;
}

// A tournament in which pairs fail that `fails(pair, round)`.
template <typename Fails>
std::vector<PairAttempt> attempts(const Fleet& fleet, Index rounds, Fails fails) {
  std::vector<PairAttempt> all;
  Index number = 0;
  for (const Round& round : tournament(fleet, {rounds, 5})) {
    for (const Pair& pair : round.pairs) {
      PairAttempt it;
      it.a = pair.a;
      it.b = pair.b;
      it.rail = 0;
      it.round = number;
      it.passed = !fails(pair, number);
      all.push_back(it);
    }
    ++number;
  }
  return all;
}
bool has(const Pair& pair, Index host) { return pair.a == host || pair.b == host; }

}  // namespace

TEST_CASE("a host that fails with everybody is faulty, cut before or while it was measured") {
  for (const Index hosts : {3U, 4U, 8U})
    for (const Index since : {0U, 3U}) {
      const Fleet fleet = fleet_of(hosts);
      const auto cut = [&](const Pair& pair, Index round) { return has(pair, 2) && round >= since; };
      const std::vector<Unreached> found = reach(fleet, attempts(fleet, 9, cut));
      REQUIRE(found.size() == 1);
      CHECK(found[0].cause == Cause::host);
      CHECK(found[0].faulty);
      CHECK(found[0].host == 2);
      CHECK(found[0].since >= since);
      CHECK(found[0].partners >= 2);
      const Diagnosis diagnosis = diagnosis_of(fleet, found[0]);
      CHECK(diagnosis.blame == Blame::cable_port);
      CHECK(diagnosis.measure == Symptom::reach);
      CHECK(diagnosis.hosts == std::vector<std::string>{"n2"});
      CHECK_THAT(diagnosis.sentence, ContainsSubstring("n2 rail 0 passes no data"));
    }
}

TEST_CASE("two hosts that are cut are both faulty, and nobody else") {
  const Fleet fleet = fleet_of(8);
  const std::vector<Unreached> found =
      reach(fleet, attempts(fleet, 7, [](const Pair& pair, Index) { return has(pair, 1) || has(pair, 6); }));
  REQUIRE(found.size() == 2);
  for (const Unreached& it : found) CHECK((it.faulty && it.cause == Cause::host && (it.host == 1 || it.host == 6)));
}

TEST_CASE("where two fail with each other alone it is the path between them") {
  const Fleet fleet = fleet_of(4);
  const std::vector<Unreached> found =
      reach(fleet, attempts(fleet, 9, [](const Pair& pair, Index) { return has(pair, 0) && has(pair, 3); }));
  REQUIRE(found.size() == 1);
  CHECK(found[0].cause == Cause::path);
  CHECK(found[0].faulty);
  CHECK(diagnosis_of(fleet, found[0]).hosts.empty());
  CHECK_THAT(diagnosis_of(fleet, found[0]).sentence, ContainsSubstring("between n0 rail 0 and n3 rail 0"));
}

TEST_CASE("of two hosts nobody is faulty, both are named") {
  const Fleet fleet = fleet_of(2);
  const std::vector<Unreached> found = reach(fleet, attempts(fleet, 4, [](const Pair&, Index round) { return round > 1; }));
  REQUIRE(found.size() == 1);
  CHECK(found[0].cause == Cause::either);
  CHECK_FALSE(found[0].faulty);
  const Diagnosis diagnosis = diagnosis_of(fleet, found[0]);
  CHECK(diagnosis.blame == Blame::inconclusive);
  CHECK(diagnosis.hosts.empty());
  CHECK_THAT(diagnosis.sentence, ContainsSubstring("n0 rail 0") && ContainsSubstring("n1 rail 0"));
}

TEST_CASE("one failure in the last round names nobody as faulty") {
  const Fleet fleet = fleet_of(4);
  const std::vector<Unreached> found =
      reach(fleet, attempts(fleet, 6, [](const Pair& pair, Index round) { return has(pair, 2) && round == 5; }));
  REQUIRE(found.size() == 1);
  CHECK(found[0].cause == Cause::either);
  CHECK_FALSE(found[0].faulty);
}

TEST_CASE("one that does not answer is at fault, and one that answers again is not faulty") {
  const Fleet fleet = fleet_of(4);
  std::vector<PairAttempt> all = attempts(fleet, 9, [](const Pair& pair, Index round) { return has(pair, 1) && round > 3; });
  for (PairAttempt& it : all) {
    if (it.passed) continue;
    it.a_answered = it.a != 1;
    it.b_answered = it.b != 1;
  }
  std::vector<Unreached> found = reach(fleet, all);
  REQUIRE(found.size() == 1);
  CHECK(found[0].cause == Cause::silent);
  CHECK((found[0].faulty && found[0].host == 1));
  CHECK(diagnosis_of(fleet, found[0]).measure == Symptom::presence);
  all.push_back({1, 2, 0, 9, true, true, true});
  found = reach(fleet, all);
  REQUIRE(found.size() == 1);
  CHECK(found[0].again);
  CHECK_FALSE(found[0].faulty);
  CHECK(diagnosis_of(fleet, found[0]).blame == Blame::unstable);
}

TEST_CASE("all rails of a host are one finding, one rail is that rail") {
  Fleet fleet = fleet_of(4);
  fleet.rails = 2;
  const auto cut = [](const Pair& pair, Index) { return has(pair, 3); };
  const auto none = [](const Pair&, Index) { return false; };
  std::vector<PairAttempt> one = attempts(fleet, 6, cut), other = attempts(fleet, 6, cut), good = attempts(fleet, 6, none);
  for (PairAttempt& it : other) it.rail = 1;
  for (PairAttempt& it : good) it.rail = 1;
  std::vector<PairAttempt> both = one, single = one;
  both.insert(both.end(), other.begin(), other.end());
  single.insert(single.end(), good.begin(), good.end());
  REQUIRE(reach(fleet, both).size() == 1);
  CHECK(reach(fleet, both)[0].rail == npos);
  REQUIRE(reach(fleet, single).size() == 1);
  CHECK(reach(fleet, single)[0].rail == 0);
}

TEST_CASE("a fabric in which nothing passes is one sentence, and what is no host is refused") {
  const Fleet fleet = fleet_of(4);
  const std::vector<Unreached> found = reach(fleet, attempts(fleet, 3, [](const Pair&, Index) { return true; }));
  REQUIRE(found.size() == 1);
  CHECK(found[0].cause == Cause::all);
  CHECK_FALSE(found[0].faulty);
  CHECK(reach(fleet, {}).empty());
  const std::vector<PairAttempt> wrong{{0, 4, 0, 0, true, true, true}};
  CHECK_THROWS_AS(reach(fleet, wrong), Error);
}

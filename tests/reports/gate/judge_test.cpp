// What a run is told beside baselines that are known in every respect.
#include "reports/gate/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/statistics/draws.hpp"
#include "tests/reports/gate/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::gate;
using railgauge::test::ContainsSubstring;
using railgauge::test::Suite;
using railgauge::test::WithinAbs;

namespace {

// Of a suite that is `factor` times as slow now and in its re-runs.
Judgement judged(Suite& suite, double factor, double rerun_factor) {
  Judge judge(suite.watched(factor), {});
  for (std::size_t i = 0; i < judge.reruns(); ++i) judge.add_rerun(suite.run(rerun_factor));
  return judge.judge({});
}

std::size_t count(const Judgement& judgement, Finding finding) {
  return static_cast<std::size_t>(
      std::count_if(judgement.lines.begin(), judgement.lines.end(), [&](const Line& line) { return line.finding == finding; }));
}

}  // namespace

TEST_CASE("a run as before passes, and is not measured again") {
  Suite suite(12, 30);
  const Judgement judgement = judged(suite, 1, 1);
  CHECK(judgement.finding == Finding::as_before);
  CHECK(judgement.reruns == 0);
  CHECK(judgement.sentence == "as before");
  CHECK(judgement.learnt == 30);
  CHECK(judgement.lines.front().runs == 30);
  CHECK_THAT(judgement.lines.front().expected.value(), WithinAbs(1e-3, 5e-5));
  CHECK(exit_code(judgement, true) == 0);
  CHECK_FALSE(stops(judgement));
}

TEST_CASE("a run that is slower in all cases stops where the re-runs say so too") {
  Suite suite(12, 30);
  const Judgement slow = judged(suite, 1.2, 1.2);
  CHECK(slow.finding == Finding::regressed);
  REQUIRE(slow.whole);
  CHECK(slow.whole->finding == Finding::regressed);
  CHECK_THAT(slow.whole->change.value(), WithinAbs(0.2, 0.03));
  CHECK(slow.reruns == 7);
  CHECK(exit_code(slow, false) == 1);
  CHECK(stops(slow));
  CHECK_THAT(slow.sentence, ContainsSubstring("all cases together take 2") && ContainsSubstring("by the median of 7 re-runs"));

  const Judgement luck = judged(suite, 1.2, 1);
  CHECK(luck.finding == Finding::cleared);
  CHECK(exit_code(luck, true) == 0);
  CHECK_FALSE(stops(luck));
  CHECK_THAT(luck.sentence, ContainsSubstring("measured again 7 times, and was not"));
}

TEST_CASE("a single case that is slower is named") {
  Suite suite(12, 30);
  auto cases = suite.watched(1);
  cases[3].now *= 1.5;
  Judge judge(cases, {});
  REQUIRE(judge.suspects_something());
  for (std::size_t i = 0; i < judge.reruns(); ++i) {
    auto again = suite.run(1);
    again[3].summary.median *= 1.5;
    judge.add_rerun(again);
  }
  const Judgement judgement = judge.judge({});
  CHECK(judgement.finding == Finding::regressed);
  CHECK(judgement.lines[3].finding == Finding::regressed);
  CHECK(count(judgement, Finding::regressed) == 1);
  CHECK(judgement.whole->finding != Finding::regressed);
  CHECK_THAT(judgement.sentence, ContainsSubstring("1 of 12 cases takes longer than the baseline"));
}

TEST_CASE("with too little history a run passes as learning, or is no verdict where that is strict") {
  Suite suite(3, 7);
  const Judgement judgement = judged(suite, 3, 3);
  CHECK(judgement.finding == Finding::learning);
  CHECK(judgement.sentence == "learning: 7 of 8 runs; nothing is judged before that");
  CHECK(exit_code(judgement, false) == 0);
  CHECK(exit_code(judgement, true) == 4);
  CHECK_FALSE(stops(judgement));
  // New cases among old ones do not hold up the verdict.
  Suite old(6, 30);
  auto cases = old.watched(1);
  cases[0].baseline.clear();
  const Judgement mixed = Judge(cases, {}).judge({});
  CHECK(mixed.finding == Finding::as_before);
  CHECK_THAT(mixed.sentence, ContainsSubstring("1 of 6 cases still learning"));
  CHECK(Judge({}, {}).judge({}).finding == Finding::as_before);
}

TEST_CASE("cases that were not measured as before are findings") {
  Suite suite(6, 30);
  const auto of = [&](Status status, bool known) {
    auto cases = suite.watched(1);
    cases[2].status = status;
    cases[2].reason = "because";
    cases[2].now = Seconds(std::numeric_limits<double>::quiet_NaN());
    cases[2].baseline.clear();  // a series has conditions, and what was not measured has none
    cases[2].known = known;
    return Judge(cases, {}).judge({});
  };
  CHECK(of(Status::failed, true).finding == Finding::failed);
  CHECK(exit_code(of(Status::failed, true), false) == 1);
  CHECK(of(Status::failed, false).finding == Finding::skipped);
  CHECK(of(Status::skipped, true).finding == Finding::missing);
  CHECK(exit_code(of(Status::skipped, true), false) == 4);
  CHECK(of(Status::skipped, false).finding == Finding::skipped);
  CHECK(exit_code(of(Status::skipped, false), true) == 0);
  CHECK(of(Status::wrong, false).finding == Finding::wrong);
  CHECK(exit_code(of(Status::wrong, true), false) == 6);
  CHECK(stops(of(Status::wrong, true)));

  auto cases = suite.watched(1);
  const std::vector<compare::Key> missing{cases.back().key};
  cases.pop_back();
  const Judgement judgement = Judge(cases, {}).judge(missing);
  CHECK(judgement.finding == Finding::missing);
  CHECK(judgement.lines.size() == 6);
  CHECK(judgement.sentence == "1 case that the baseline has was not measured");
  CHECK_FALSE(stops(judgement));
}

TEST_CASE("a level that has become faster stops nothing, and is said only after some runs") {
  Suite suite(6, 30);
  suite.go_on(3, 0.8);
  CHECK(judged(suite, 0.8, 0.8).finding == Finding::as_before);
  suite.go_on(1, 0.8);
  const Judgement judgement = judged(suite, 0.8, 0.8);
  CHECK(judgement.finding == Finding::faster);
  CHECK(exit_code(judgement, true) == 0);
  CHECK_THAT(judgement.sentence, ContainsSubstring("all cases together take 2") &&
                                     ContainsSubstring("less than the baseline in the latest 5 runs") &&
                                     ContainsSubstring("railgauge history accept --reason"));
}

TEST_CASE("re-runs that failed, or lack cases, confirm nothing of them") {
  Suite suite(6, 30);
  Judge judge(suite.watched(1.3), {});
  REQUIRE(judge.reruns() == 7);
  for (int i = 0; i < 7; ++i) {
    auto again = suite.run(1.3);
    for (Result& result : again) result.status = Status::failed;
    judge.add_rerun(again);
  }
  const Judgement judgement = judge.judge({});
  CHECK(judgement.finding == Finding::cleared);
}

// What a run is told beside a control that is known in every respect.
#include "reports/gate/control.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "reports/gate/report.hpp"
#include "tests/reports/gate/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::gate;
using railgauge::test::ContainsSubstring;
using railgauge::test::Suite;
using railgauge::test::WithinAbs;

namespace {

// A launch of each, side by side.
LaunchPair pair_of(Suite& suite, double factor) {
  LaunchPair pair;
  pair.control = suite.run(1);
  pair.next = suite.run(factor);
  pair.control_file = pair.control.front().run + ".jsonl";
  pair.next_file = pair.next.front().run + ".jsonl";
  return pair;
}

Judgement history_of(Suite& suite) { return Judge(suite.watched(1), {}).judge({}); }

// `change` is done to each pair before it counts.
template <class Change>
Judgement judged(Suite& suite, double factor, Change change) {
  LaunchPair first = pair_of(suite, factor);
  change(first);
  BesideControl beside(std::move(first), {});
  while (beside.wanted() > 0) {
    LaunchPair pair = pair_of(suite, factor);
    change(pair);
    beside.add(std::move(pair));
  }
  return beside.judge(history_of(suite), "./accepted");
}
Judgement judged(Suite& suite, double factor) {
  return judged(suite, factor, [](LaunchPair&) {});
}

std::size_t count(const Judgement& judgement, Finding finding) {
  return static_cast<std::size_t>(
      std::count_if(judgement.lines.begin(), judgement.lines.end(), [&](const Line& line) { return line.finding == finding; }));
}

}  // namespace

TEST_CASE("beside a control that is as fast a run passes, whatever the history lacks") {
  Suite suite(8, 0);
  const Judgement judgement = judged(suite, 1);
  CHECK(exit_code(judgement, true) == 0);
  CHECK_FALSE(stops(judgement));
  REQUIRE(judgement.control);
  CHECK(judgement.control->name == "./accepted");
  CHECK(judgement.control->first == 4);
  CHECK_THAT(judgement.sentence, ContainsSubstring("as the control in ") && ContainsSubstring(" pairs of interleaved launches"));
  CHECK(count(judgement, Finding::learning) == 0);
  CHECK(judgement.lines.front().ratios.size() == judgement.control->pairs);
  CHECK_THAT(judgement.lines.front().expected.value(), WithinAbs(1e-3, 5e-5));
}

TEST_CASE("what is slower than the control is confirmed by launches made since, and stops") {
  Suite suite(8, 30);
  const Judgement judgement = judged(suite, 1.2);
  CHECK(judgement.finding == Finding::regressed);
  CHECK(exit_code(judgement, false) == 1);
  CHECK(stops(judgement));
  CHECK(judgement.control->pairs == 9);
  CHECK(count(judgement, Finding::regressed) == 8);
  REQUIRE(judgement.whole);
  CHECK(judgement.whole->finding == Finding::regressed);
  CHECK_THAT(judgement.whole->change.value(), WithinAbs(0.2, 0.02));
  CHECK_THAT(judgement.sentence, ContainsSubstring("all cases together take ") &&
                                     ContainsSubstring("% longer (8 of 8 cases by themselves) than the control, in 9 pairs"));
  const Run run{"run-9", "v1", "node1", Seconds(12)};
  CHECK_THAT(to_text(run, judgement), ContainsSubstring("(median of 9 pairs ± ") && ContainsSubstring(", control 1.0"));
  CHECK_THAT(to_markdown(run, judgement), ContainsSubstring("| case | time | control | ± | change | |") &&
                                              ContainsSubstring("interleaved launches with the control, ./accepted"));
  CHECK_THAT(to_junit(run, judgement), ContainsSubstring("<failure message=\"regressed: ") && ContainsSubstring("control"));
  CHECK_THAT(to_github(judgement), ContainsSubstring("::error title=regressed::") && ContainsSubstring("than the control"));
}

TEST_CASE("beside a control a level of the machine is no finding, and is said") {
  Suite suite(8, 30);
  BesideControl beside(pair_of(suite, 1), {});
  while (beside.wanted() > 0) beside.add(pair_of(suite, 1));
  const Judgement judgement = beside.judge(Judge(suite.watched(1.3), {}).judge({}), "c");
  CHECK(exit_code(judgement, true) == 0);
  REQUIRE_FALSE(judgement.notes.empty());
  CHECK_THAT(judgement.notes.front(), ContainsSubstring("beside the history all cases together take 3") &&
                                          ContainsSubstring("% longer than the baseline of 30 runs: that decides nothing here"));
}

TEST_CASE("what differs from the control is said, and where both ran must not differ") {
  Suite suite(4, 0);
  const Judgement judgement = judged(suite, 1, [](LaunchPair& pair) {
    for (Result& result : pair.next) {
      result.versions = {{"railgauge", "0.2.0"}};
      result.point.algorithm = "tree";
    }
  });
  std::string notes;
  for (const std::string& note : judgement.notes) notes += note + "\n";
  CHECK_THAT(notes, ContainsSubstring("versions.railgauge is '0.1.0' in the control and '0.2.0' here"));
  CHECK_THAT(notes, ContainsSubstring("algorithm is 'ring' in the control and 'tree' here"));

  LaunchPair elsewhere = pair_of(suite, 1);
  for (Result& result : elsewhere.next) result.host.name = "node2";
  CHECK_THROWS_AS(BesideControl(elsewhere, {}), Error);
  LaunchPair nothing = pair_of(suite, 1);
  for (Result& result : nothing.control) result.point.collective = "all_gather";
  CHECK_THROWS_AS(BesideControl(nothing, {}), Error);
}

TEST_CASE("cases that only one side measured are findings beside a control too") {
  const auto with = [](auto change) {
    Suite suite(4, 0);
    Judgement judgement = judged(suite, 1, change);
    return judgement;
  };
  const Judgement fresh = with([](LaunchPair& pair) { pair.control.erase(pair.control.begin()); });
  CHECK(fresh.lines.size() == 4);
  CHECK(count(fresh, Finding::learning) == 1);
  CHECK(exit_code(fresh, true) == 0);
  CHECK_THAT(fresh.sentence, ContainsSubstring("1 of 4 cases not in the control"));
  const Judgement later = with([seen = 0](LaunchPair& pair) mutable {
    if (++seen == 3) pair.next[1].status = Status::failed;
  });
  CHECK(count(later, Finding::unsure) == 1);
  CHECK(exit_code(later, false) == 4);
  CHECK_FALSE(stops(later));
  const Judgement wrong = with([seen = 0](LaunchPair& pair) mutable {
    if (++seen == 2) pair.next[1].status = Status::wrong;
  });
  CHECK(count(wrong, Finding::wrong) == 1);
  CHECK(exit_code(wrong, false) == 6);
  // A launch that gave nothing says nothing.
  const Judgement lost = with([seen = 0](LaunchPair& pair) mutable {
    if (++seen == 2) pair.control.clear();
  });
  CHECK(lost.finding <= Finding::cleared);

  Suite suite(4, 0);
  LaunchPair first = pair_of(suite, 1);
  auto cases = suite.watched(1);
  cases.pop_back();
  first.next.pop_back();
  BesideControl beside(std::move(first), {});
  while (beside.wanted() > 0) beside.add(pair_of(suite, 1));
  const Judgement missing = beside.judge(Judge(cases, {}).judge({}), "c");
  CHECK(missing.finding == Finding::missing);
  CHECK(missing.lines.size() == 4);
  CHECK(exit_code(missing, false) == 4);
  CHECK_THAT(missing.sentence, ContainsSubstring("1 case that the control has was not measured"));
}

TEST_CASE("a case that fails beside a control that measures it stops, though no history knows it") {
  Suite suite(4, 0);
  const auto fail = [](Result& result) {
    result.status = Status::failed;
    result.reason = "it fell";
  };
  LaunchPair first = pair_of(suite, 1);
  fail(first.next[2]);
  BesideControl beside(std::move(first), {});
  while (beside.wanted() > 0) {
    LaunchPair pair = pair_of(suite, 1);
    fail(pair.next[2]);
    beside.add(std::move(pair));
  }
  auto cases = suite.watched(1);
  cases[2].status = Status::failed;
  cases[2].reason = "it fell";
  const Judgement judgement = beside.judge(Judge(cases, {}).judge({}), "c");
  CHECK(judgement.finding == Finding::failed);
  CHECK(exit_code(judgement, false) == 1);
  CHECK_THAT(judgement.sentence, ContainsSubstring("1 of 4 cases failed that the control has"));
}

TEST_CASE("without a control yet a run passes as learning, and says how to keep one") {
  Suite suite(6, 30);
  const Judgement judgement =
      without_control(Judge(suite.watched(1.3), {}).judge({}), "/home/ci/accepted", "install -D ./railgauge /home/ci/accepted");
  CHECK(judgement.finding == Finding::learning);
  CHECK(exit_code(judgement, false) == 0);
  CHECK(exit_code(judgement, true) == 4);
  CHECK(judgement.sentence ==
        "learning: there is no control yet at /home/ci/accepted: once this build is accepted, keep it as one: install -D "
        "./railgauge /home/ci/accepted");
  auto cases = suite.watched(1);
  cases[0].status = Status::wrong;
  CHECK(exit_code(without_control(Judge(cases, {}).judge({}), "c", "k"), false) == 6);
}

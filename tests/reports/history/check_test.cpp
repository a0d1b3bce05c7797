// A run beside what a history holds: made histories whose answer is known.
#include "reports/history/check.hpp"

#include <cmath>
#include <limits>

#include "reports/history/drift.hpp"
#include "reports/history/text.hpp"
#include "tests/reports/history/runs.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::history;
using namespace railgauge::test;

namespace {

// Series of `cases` sizes and `runs` runs that share luck of 1 % and have 0.5 % of their own; factor(case, run) times as slow.
struct Made {
  std::vector<Series> series;
  std::vector<Head> heads;
  std::vector<Entry> last;  // the entries of the newest run

  template <class Factor>
  Made(std::size_t cases, std::size_t runs, std::uint64_t seed, const Factor& factor) {
    compare::Draws draws(seed);
    std::vector<double> luck;
    for (std::size_t run = 0; run < runs; ++run) luck.push_back(1 + 0.01 * draws.normal());
    for (std::size_t i = 0; i < cases; ++i) {
      Series& one = series.emplace_back();
      for (std::size_t run = 0; run < runs; ++run) {
        const double time = 1e-6 * static_cast<double>(i + 1) * luck[run] * (1 + 0.005 * draws.normal()) * factor(i, run);
        const std::string name = "run" + std::to_string(run);
        Point& point = one.points.emplace_back();
        point.run = name;
        point.number = static_cast<std::int64_t>(run) + 1;
        point.label = {"commit " + std::to_string(run), 1000};
        point.median = Seconds(time);
        if (run + 1 == runs) last.push_back(entry_of(launch_result(name, 8 * (i + 1), time, draws)));
      }
      one.identity = last.back().identity;
      heads.push_back({one.identity, one.points.back().run, one.points.back().label, runs});
    }
  }
  [[nodiscard]] Check check() const { return history::check({last.front().run, last, series, {}, heads}); }
};

constexpr auto steady = [](std::size_t, std::size_t) { return 1.0; };

}  // namespace

TEST_CASE("a run like its baseline is not suspected, and a slower one is") {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Check good = Made(8, 40, seed, steady).check();
    CHECK(good.cases.size() == 8);
    CHECK(good.young.empty());
    alarms += good.exit_code != 0 ? 1 : 0;
    const Check slower = Made(8, 40, seed, [](std::size_t, std::size_t run) { return run == 39 ? 1.1 : 1.0; }).check();
    CHECK(slower.whole_suspected);
    CHECK(*slower.whole > 0.05);
    CHECK(slower.exit_code == 4);
    const Check one = Made(8, 40, seed, [](std::size_t i, std::size_t run) { return run == 39 && i == 3 ? 1.1 : 1.0; }).check();
    CHECK(one.cases.at(3).suspected);
    CHECK(one.exit_code == 4);
    CHECK_THAT(one.because, ContainsSubstring("suspected, not confirmed"));
  }
  CHECK(alarms <= 8);  // of 20: a suspicion is cheap, and only re-runs confirm it
}

TEST_CASE("by chance a run that is as usual is suspected so often") {
  constexpr int runs = 2000, cases = 40, baseline = 30;
  compare::Draws draws(11);
  int whole = 0, single = 0, any = 0;
  for (int round = 0; round < runs; ++round) {
    std::vector<std::vector<double>> past(cases);
    std::vector<double> run(cases);
    for (int i = 0; i <= baseline; ++i) {
      const double luck = 0.014 * draws.normal();
      for (std::size_t one = 0; one < cases; ++one)
        (i < baseline ? past[one].emplace_back() : run[one]) = luck + 0.014 * draws.normal();
    }
    const compare::Gate gate(past, {});
    const std::vector<std::size_t> suspects = gate.suspects(run);
    any += suspects.empty() ? 0 : 1;
    for (const std::size_t part : suspects) ++(part == gate.whole() ? whole : single);
  }
  std::printf("seed 11: of %d runs of %d cases %d were suspected as a whole, %d at all; %d of %d cases\n", runs, cases, whole,
              any, single, runs * cases);
  CHECK(whole < runs / 20);
  CHECK(single < runs * cases / 50);
}

TEST_CASE("the baseline stands: a slow drift is suspected, though each run is like the one before") {
  const Check check = Made(8, 100, 5, [](std::size_t, std::size_t run) { return 1 + 0.001 * static_cast<double>(run); }).check();
  CHECK(check.whole_suspected);
  CHECK(check.cases.front().runs == baseline_runs);
  CHECK(*check.whole > 0.05);
}

TEST_CASE("too few runs are no baseline, and the condition that changed is named") {
  Made made(2, 7 + 1, 5, steady);
  CHECK(made.check().cases.empty());
  CHECK(made.check().exit_code == 4);
  CHECK_THAT(made.check().because, ContainsSubstring("no case has a baseline yet: 8 runs"));
  CHECK(Made(2, 8 + 1, 5, steady).check().cases.size() == 2);

  Head older = made.heads[0], other = made.heads[0];
  older.identity.conditions["versions.ucx"] = "1.13";
  older.last_run = "old";
  other.identity.conditions["kernel"] = "another";
  other.identity.conditions["cpu"] = "another";
  made.heads.insert(made.heads.begin(), {older, other});
  const Check check = made.check();
  REQUIRE(check.young.size() == 2);
  REQUIRE(check.young[0].before);
  CHECK(check.young[0].runs == 7);
  CHECK(check.young[0].before->last_run == "old");
  CHECK(check.young[0].field == "versions.ucx");
  CHECK(check.young[0].was == "1.13");
  CHECK(check.young[0].is.empty());
  CHECK(!check.young[1].before);
  CHECK_THAT(check_text(check), ContainsSubstring("up to run old (commit 7) versions.ucx was '1.13', now it is not there"));
}

TEST_CASE("a run that is in its own baseline is judged by those before it") {
  Made made(1, 20, 5, steady);
  CHECK(made.check().cases.at(0).runs == 19);
  made.series[0].accepted_from = 10;
  CHECK(made.check().cases.at(0).runs == 9);
  made.series[0].points[15].state = State::refused;
  CHECK(made.check().cases.at(0).runs == 8);
  made.last[0].run = "not there yet";
  CHECK(made.check().cases.at(0).runs == 9);
}

TEST_CASE("what failed or is missing is a finding") {
  Made made(6, 20, 5, steady);
  std::vector<Entry> previous = made.last, entries = made.last;
  for (Entry& entry : previous) entry.run = "run18";
  const auto judged = [&] { return check({"run19", entries, made.series, previous, made.heads}); };
  made.series.pop_back();
  entries.pop_back();
  REQUIRE(judged().lost.size() == 1);
  CHECK(judged().lost[0].why == "not there");
  CHECK(judged().exit_code == 4);
  Entry failed = made.last.back();
  failed.measured = false;
  failed.status = Status::skipped;
  failed.reason = "no cable";
  entries.push_back(failed);
  REQUIRE(judged().lost.size() == 1);
  CHECK(judged().lost[0].why == "skipped: no cable");
  CHECK(judged().exit_code == 4);
  entries.back().status = Status::wrong;
  REQUIRE(judged().lost.size() == 1);
  CHECK(judged().lost[0].failed);
  CHECK(judged().exit_code == 1);
  previous.clear();
  CHECK(judged().exit_code == 1);  // it was measured some day
  made.heads.pop_back();
  CHECK(judged().lost.empty());  // it never was
}

TEST_CASE("a step is found where it is, in all cases or in one") {
  constexpr auto all = std::numeric_limits<std::int64_t>::max();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const Made whole(8, 60, seed, [](std::size_t, std::size_t run) { return run >= 35 ? 1.08 : 1.0; });
    const auto steps = drifts_of(whole.series, 5, all);
    REQUIRE(!steps.empty());
    CHECK(!steps[0].identity);
    CHECK(std::abs(std::stoi(steps[0].run.substr(3)) - 35) <= 3);
    CHECK(std::fabs(steps[0].change - 0.08) < 0.03);
    CHECK(steps[0].label.text == "commit " + steps[0].run.substr(3));
    const Made single(8, 60, seed, [](std::size_t i, std::size_t run) { return i == 2 && run >= 35 ? 1.08 : 1.0; });
    const auto one = drifts_of(single.series, 5, all);
    REQUIRE(!one.empty());
    CHECK(one[0].identity == single.series[2].identity);
    for (const Drift& early : drifts_of(single.series, 5, 35)) CHECK(std::fabs(early.change) < 0.04);  // as it was known then
  }
}

TEST_CASE("a step within a baseline that still grows is not hidden by it") {
  const auto stepped = [](std::size_t, std::size_t run) { return run >= 12 ? 1.2 : 1.0; };
  Made made(6, 28, 5, stepped);
  CHECK(!made.check().whole_suspected);
  CHECK(made.check().exit_code == 4);
  CHECK_THAT(made.check().because, ContainsSubstring("a change point to a slower level lies within the baseline of 6 cases"));
  for (Series& one : made.series) one.accepted_from = 12;
  CHECK(made.check().exit_code == 0);
  CHECK(made.check().drifts.at(0).within_baselines == 0);
  CHECK(Made(6, 28, 5, [](std::size_t, std::size_t run) { return run >= 12 ? 0.8 : 1.0; }).check().exit_code == 0);  // faster
  const Check one = Made(1, 28, 5, stepped).check();
  CHECK_THAT(one.because, ContainsSubstring("within the baseline of 1 case:"));
}

TEST_CASE("times are read and written") {
  CHECK(time_text(0) == "1970-01-01 00:00:00");
  CHECK(time_text(1'795'435'205) == "2026-11-23 12:00:05");
  CHECK(parse_time("2026-11-23T12:00:05Z") == 1'795'435'205);
  CHECK(parse_time("2026-11-23 12:00:05") == 1'795'435'205);
  CHECK(parse_time("2026-11-23") == 1'795'435'205 - 12 * 3600 - 5);
  CHECK(parse_time("1795435205") == 1'795'435'205);
  for (const char* const bad :
       {"", "yesterday", "2026-02-30", "2026-13-01", "2026-11-23T", "-5", "99999999999999999999", "1969-01-01", "2026-11-23 x"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(parse_time(bad), ContainsSubstring("is no time"));
  }
  compare::Draws draws(3);
  for (int round = 0; round < 1000; ++round) {
    const auto at = static_cast<std::int64_t>(draws.below(253402300800));
    CHECK(parse_time(time_text(at)) == at);
  }
}

TEST_CASE("a sparkline shows levels, and noise as flat") {
  CHECK(sparkline(std::vector<double>{1, 1.01, 1, 1.02}) == "▁▂▁▄");
  CHECK(sparkline(std::vector<double>{1, 1, 2, 2}) == "▁▁██");
  CHECK(sparkline(std::vector<double>{1, std::nan(""), 8}) == "▁ █");
  CHECK(sparkline(std::vector<double>{}).empty());
  CHECK(sparkline(std::vector<double>{0, 0}) == "▁▁");
  CHECK(sparkline(std::vector<double>(100, 3)).size() == std::string("▁").size() * 40);
}

TEST_CASE("texts of a history say what is in it") {
  Made made(2, 12, 5, [](std::size_t, std::size_t run) { return run >= 6 ? 2.0 : 1.0; });
  made.series[0].points[3].state = State::refused;
  made.series[0].accepts.push_back({"run2", "a \"new\" <cable>\n", "ada", 0});
  made.series[0].accepted_from = 2;
  const std::string text = show_text(made.series, 10);
  CHECK_THAT(text, ContainsSubstring("accepted by ada on 1970-01-01 00:00:00"));
  CHECK_THAT(text, ContainsSubstring("refused"));
  CHECK_THAT(text, ContainsSubstring("accepted from here"));
  CHECK_THAT(text, ContainsSubstring("change point +"));
  CHECK_THAT(text, ContainsSubstring("and 2 runs before (--last 12 shows all)"));
  const std::string many = show_text(Made(9, 2, 5, steady).series, 10);
  CHECK_THAT(many, ContainsSubstring("9 cases: choose 8 or fewer"));
  CHECK(show_text({}, 3) == "no case fits\n");
  const std::string csv = show_csv(made.series);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 25);
}

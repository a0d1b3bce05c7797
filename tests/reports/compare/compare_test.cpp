// Whole comparisons: verdicts, exit codes, what is missing, and the texts.
#include "reports/compare/compare.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "reports/compare/report.hpp"
#include "tests/reports/compare/results.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::compare;
using railgauge::test::add_launches;
using railgauge::test::ContainsSubstring;
using railgauge::test::launch_result;

namespace {

Options band(double share) {
  Options options;
  options.band = share;
  return options;
}

Comparison compared(std::size_t launches, double factor, const Options& options, std::uint64_t seed) {
  Draws draws(seed);
  Side base{Allowed{}}, next{Allowed{}};
  add_launches(base, "base", launches, 1, draws);
  add_launches(next, "new", launches, factor, draws);
  return compare::compare(base, next, options);
}

Fault fault_of(const Side& base, const Side& next, const Options& options = {}) {
  try {
    (void)compare::compare(base, next, options);
  } catch (const Error& error) {
    INFO(error.what());
    return error.fault();
  }
  return Fault::lost;  // which compare never gives
}

Result failed(const Result& result, Status status) {
  Result made = result;
  made.status = status;
  made.reason = "because";
  made.samples.clear();
  made.summary = {};
  return made;
}

}  // namespace

TEST_CASE("the same, slower and faster, with what the exit code says") {
  const Comparison same = compared(8, 1, band(0.05), 1), worse = compared(8, 1.1, band(0.02), 2),
                   better = compared(8, 0.9, band(0.02), 3);
  CHECK(same.verdict == Verdict::same);
  CHECK(exit_code(same) == 0);
  CHECK(worse.verdict == Verdict::worse);
  CHECK(exit_code(worse) == 1);
  CHECK(worse.because == "3 of 3 cases are slower");
  CHECK(better.verdict == Verdict::better);
  CHECK(exit_code(better) == 0);
  REQUIRE(worse.rows.size() == 3);
  for (const CaseComparison& row : worse.rows) {
    CHECK(row.verdict == Verdict::worse);
    CHECK((row.ratio.low < 1.1 && row.ratio.value > 1.05 && row.holm >= row.p && row.effect == 1));
    CHECK(row.mann_whitney.value_or(1) < 0.001);
  }
  REQUIRE(worse.together);
  CHECK(worse.together->verdict == Verdict::worse);
}

TEST_CASE("one launch a side is inconclusive, and says what would help") {
  const Comparison one = compared(1, 1.3, {}, 4);
  CHECK(one.verdict == Verdict::inconclusive);
  CHECK(exit_code(one) == 4);
  REQUIRE_FALSE(one.notes.empty());
  CHECK_THAT(one.notes[0], ContainsSubstring("only noise within a launch is known"));
  Options options;
  options.launch_noise = 0.01;
  const Comparison known = compared(1, 1.3, options, 4);
  CHECK(known.band == 0.02);
  CHECK(known.verdict == Verdict::worse);
}

TEST_CASE("launches that differ much are inconclusive, and the note says how many would do") {
  const Comparison noisy = compared(4, 1, band(0.001), 5);
  CHECK(noisy.verdict == Verdict::inconclusive);
  REQUIRE(noisy.notes.size() == 1);
  CHECK_THAT(noisy.notes[0], ContainsSubstring("launches a side would decide"));
}

TEST_CASE("A against A: what is the same is seldom called worse, with 3 launches a side") {
  int worse = 0;
  for (std::uint64_t seed = 100; seed < 300; ++seed) worse += compared(3, 1, {}, seed).verdict == Verdict::worse ? 1 : 0;
  std::printf("of 200 comparisons of the same thing, 3 cases and 3 launches a side, %d are called worse (seeds 100 to 299)\n",
              worse);
  CHECK(worse <= 10);
}

TEST_CASE("what must not differ is refused with its name, and compared where it is allowed") {
  Draws draws(6);
  const auto add_both = [&](Side& base, Side& next) {
    add_launches(base, "base", 3, 1, draws);
    for (int i = 0; i < 3; ++i) {
      Result result = launch_result("new" + std::to_string(i), 8, 1e-6, draws);
      result.host.cpu = "Another";
      next.add("new" + std::to_string(i) + ".jsonl", result);
    }
  };
  Side base{Allowed{}}, next{Allowed{}};
  add_both(base, next);
  CHECK(fault_of(base, next) == Fault::not_comparable);
  CHECK_THROWS_WITH(compare::compare(base, next, {}), ContainsSubstring("cpu is 'A processor' and 'Another'"));
  Options options;
  options.allowed = Allowed({"cpu", "missing"});
  Side allowed_base(options.allowed), allowed_next(options.allowed);
  add_both(allowed_base, allowed_next);
  const Comparison comparison = compare::compare(allowed_base, allowed_next, options);
  REQUIRE(comparison.allowed.size() == 1);
  CHECK_THAT(to_text(comparison), ContainsSubstring("allowed to differ: cpu: 'A processor' in base, 'Another' in new"));
}

TEST_CASE("nothing in common, the same run on both sides, and nothing at all") {
  Draws draws(7);
  Side small{Allowed{}}, large{Allowed{}}, none{Allowed{}};
  small.add("a.jsonl", launch_result("a", 8, 1e-6, draws));
  large.add("b.jsonl", launch_result("b", 16, 1e-6, draws));
  CHECK(fault_of(small, large) == Fault::not_comparable);
  CHECK(fault_of(none, none) == Fault::not_comparable);
  CHECK(fault_of(small, small) == Fault::usage);
  CHECK_THROWS_WITH(compare::compare(small, large, {}), ContainsSubstring("base has 1 cases, such as all_reduce, 8 B"));
}

TEST_CASE("cases that one side lacks are findings: lost is inconclusive, failed is worse, new is a note") {
  Draws draws(8);
  const auto comparison_with = [&](Status status, bool there, const std::vector<std::string>& allow) {
    Options options = band(0.05);
    options.allowed = Allowed(allow);
    Side base{options.allowed}, next{options.allowed};
    add_launches(base, "base", 6, 1, draws);
    add_launches(next, "new", 6, 1, draws);
    for (int i = 0; i < 3; ++i) base.add("base0.jsonl", launch_result("base0", 64, 1e-6, draws));
    if (there) next.add("new0.jsonl", failed(launch_result("new0", 64, 1e-6, draws), status));
    next.add("new0.jsonl", launch_result("new0", 1024, 1e-6, draws));
    return compare::compare(base, next, options);
  };
  const Comparison lost = comparison_with(Status::ok, false, {});
  REQUIRE(lost.gaps.size() == 2);
  CHECK(lost.gaps[0].lost);
  CHECK(lost.gaps[0].next == "not there");
  CHECK_FALSE(lost.gaps[1].lost);
  CHECK(lost.verdict == Verdict::inconclusive);
  CHECK_THAT(lost.because, ContainsSubstring("a case that base measured is missing in new"));
  CHECK(comparison_with(Status::ok, false, {"missing"}).verdict == Verdict::same);
  CHECK(comparison_with(Status::skipped, true, {}).gaps[0].next == "skipped: because");
  const Comparison broken = comparison_with(Status::failed, true, {"missing"});
  CHECK(broken.gaps[0].failed);
  CHECK(broken.verdict == Verdict::worse);
  CHECK(comparison_with(Status::wrong, true, {}).verdict == Verdict::worse);
  CHECK_THAT(to_text(broken), ContainsSubstring("failed: all_reduce, 64 B"));
}

TEST_CASE("new that failed in all that base measured is worse, though there is no ratio") {
  Draws draws(11);
  Side base{Allowed{}}, next{Allowed{}};
  base.add("a.jsonl", launch_result("a", 8, 1e-6, draws));
  next.add("b.jsonl", failed(launch_result("b", 8, 1e-6, draws), Status::failed));
  const Comparison comparison = compare::compare(base, next, {});
  CHECK(comparison.verdict == Verdict::worse);
  CHECK(comparison.because == "a case that base measured failed in new");
  for (const std::string& text : {to_text(comparison), to_markdown(comparison), to_json(comparison)})
    CHECK_THAT(text, ContainsSubstring("failed: because"));
  CHECK(to_csv(comparison).empty());
}

TEST_CASE("one slower case among many that are the same is found, and clocks that were throttled are told") {
  Draws draws(9);
  Side base{Allowed{}}, next{Allowed{}};
  for (Side* const side : {&base, &next})
    for (int launch = 0; launch < 6; ++launch) {
      const std::string run = (side == &base ? "base" : "new") + std::to_string(launch);
      for (std::uint64_t i = 0; i < 20; ++i) {
        const bool slow = side == &next && i == 7;
        Result result = launch_result(run, std::uint64_t{8} << i, (slow ? 1.2 : 1) * 1e-6 * (1 + 0.005 * draws.normal()), draws);
        result.power = Power{};
        result.power->tells_throttling = true;
        if (slow) result.power->throttles.push_back({"node1", "core 3", "heat", true, Seconds(1), {}, false, false});
        side->add(run + ".jsonl", result);
      }
    }
  const Comparison comparison = compare::compare(base, next, band(0.02));
  CHECK(comparison.because == "1 of 20 cases are slower");
  CHECK(comparison.rows[7].verdict == Verdict::worse);
  CHECK_THAT(to_text(comparison), ContainsSubstring("clocks were throttled in 0 of 6 launches of base and 6 of 6 of new"));
}

TEST_CASE("a comparison as text, markdown, CSV and JSON") {
  Draws draws(10);
  Side base{Allowed{}}, next{Allowed{}};
  add_launches(base, "base", 5, 1, draws);
  add_launches(next, "new", 5, 1.2, draws);
  base.add("base0.jsonl", launch_result("base0", 64, 1e-6, draws));
  const Comparison comparison = compare::compare(base, next, {});
  CHECK(test::matches_golden("comparison.txt", to_text(comparison)));
  CHECK(test::matches_golden("comparison.md", to_markdown(comparison)));
  const std::string csv = to_csv(comparison);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  const auto json = nlohmann::json::parse(to_json(comparison));
  CHECK(json["schema"] == "railgauge.comparison/1");
  CHECK(json["verdict"] == "worse");
  CHECK(json["cases"].size() == 3);
  CHECK(json["cases"][0]["bytes"] == 8);
  CHECK(json["gaps"][0]["lost"] == true);
  std::istringstream lines(csv);
  std::string names;
  std::getline(lines, names);
  CHECK(static_cast<std::size_t>(std::count(names.begin(), names.end(), ',')) + 1 == json["cases"][0].size());
}

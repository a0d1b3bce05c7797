// The page of a step: its figures are those of the report, its data is the timeline, and texts of others stay texts.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "base/units.hpp"
#include "bench/workload/analyse/comparison.hpp"
#include "bench/workload/analyse/figures.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/page/page.hpp"
#include "bench/workload/page/parts.hpp"
#include "bench/workload/replay.hpp"
#include "bench/workload/report/report.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using test::ContainsSubstring;
using test::WithinAbs;

namespace {

constexpr std::size_t stride = 7;  // of the nodes in the data

Workload transformer() {
  return models::make_workload(*models::find_model("gpt3-175b"),
                               {.data = 2, .tensor = 2, .pipeline = 2, .micro_batches = 2, .layers = 2});
}

RunResult run_of(const Workload& workload) {
  RunResult result;
  result.timeline =
      replay(workload, matches_of(workload),
             {[&](int rank, std::uint32_t node) { return workload.nodes[static_cast<std::size_t>(rank)][node].duration.count(); },
              [](const Match&) { return 1e-3; }});
  StepRecord step{1, length_of(result.timeline), 0, 0, 0, 0.01, 0.1};
  for (std::size_t rank = 0; rank < result.timeline.size(); ++rank) {
    const RankExposure its = exposure_of(workload.nodes[rank], result.timeline[rank]);
    step.computing += its.computing / workload.ranks;
    step.communicating += its.all.communicating / workload.ranks;
    step.exposed += its.all.exposed / workload.ranks;
  }
  result.steps.push_back(step);
  result.shown = 1;
  return result;
}

nlohmann::json data_in(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("the data of a page is the timeline") {
  const Workload workload = transformer();
  const RunResult result = run_of(workload);
  const Matches matches = matches_of(workload);
  const nlohmann::json data = data_in(page_of_step(workload, result, "8 ranks"));
  const auto& words = data.at("words");
  REQUIRE(data.at("ranks").size() == 8);
  std::size_t communicating = 0;
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const auto& nodes = data.at("ranks")[rank].at("nodes");
    std::size_t at = 0;
    for (std::size_t i = 0; i < workload.nodes[rank].size(); ++i) {
      const WorkNode& node = workload.nodes[rank][i];
      if (node.work == WorkKind::marker) continue;
      REQUIRE(at + stride <= nodes.size());
      const Interval& its = result.timeline[rank][i];
      CHECK(std::abs(nodes[at + 1].get<double>() - its.start * 1e9) < 1);
      CHECK(std::abs(nodes[at + 2].get<double>() - its.length() * 1e9) < 1.5);
      CHECK(words.at(nodes[at + 3].get<std::size_t>()) == node.name);
      CHECK((nodes[at + 5].get<int>() >= 0) == node.communicates());
      if (node.communicates()) {
        ++communicating;
        const auto& call = data.at("calls").at(nodes[at + 5].get<std::size_t>());
        CHECK(words.at(call.at(1).get<std::size_t>()) == workload.groups[static_cast<std::size_t>(node.group)].label());
        const auto& match = data.at("matches").at(nodes[at + 6].get<std::size_t>());
        CHECK(match.at(2).get<std::uint64_t>() == node.bytes());
        CHECK(match.at(1).get<double>() >= its.end * 1e9 - 1);
      }
      at += stride;
    }
    CHECK(at == nodes.size());
    double exposed = 0;
    const auto& spans = data.at("ranks")[rank].at("exposed");
    for (std::size_t i = 0; i + 1 < spans.size(); i += 2) exposed += spans[i + 1].get<double>() - spans[i].get<double>();
    CHECK(std::abs(exposed / 1e9 - exposure_of(workload.nodes[rank], result.timeline[rank]).all.exposed) < 1e-6);
  }
  CHECK(communicating > 100);
  CHECK(data.at("matches").size() == matches.all.size());
  double before = -1;
  for (const auto& step : data.at("path")) {
    CHECK(step.at(2).get<double>() >= before);
    before = step.at(3).get<double>();
  }
}

TEST_CASE("the figures of a page are those of the report, and of each rank add up") {
  const Workload workload = transformer();
  const RunResult result = run_of(workload);
  const TimelineFigures figures = figures_of(workload, matches_of(workload), result);
  const std::string page = page_of_step(workload, result, "8 ranks"), report = report_of(workload, result, "8 ranks");
  for (const double seconds : {figures.seconds, figures.exposed, figures.without_communication, figures.path.communicating}) {
    CHECK_THAT(page, ContainsSubstring(format_seconds(Seconds(seconds))));
    CHECK_THAT(report, ContainsSubstring(format_seconds(Seconds(seconds))));
  }
  CHECK_THAT(figures.waiting + figures.transferring, WithinAbs(figures.exposed, 1e-9));
  double waiting = 0, kept = 0, all = 0;
  std::uint64_t last = 0, calls = 0;
  for (const RankFigures& rank : figures.ranks) {
    waiting += rank.waiting / 8;
    kept += rank.keeps_waiting;
    last += rank.last;
    CHECK(rank.waiting <= rank.exposure.exposed + 1e-9);
  }
  for (const CallRates& rates : figures.calls) {
    all += rates.waiting;
    calls += rates.calls;
  }
  CHECK_THAT(waiting, WithinAbs(figures.waiting, 1e-9));
  CHECK_THAT(kept, WithinAbs(all, 1e-9));
  CHECK(last == calls);
}

TEST_CASE("a page has the figures of finished steps where there is no timeline, and says so") {
  const Workload workload = transformer();
  RunResult result = run_of(workload);
  result.timeline.clear();
  const std::string page = page_of_step(workload, result, "8 ranks");
  CHECK_THAT(page, ContainsSubstring("Time per step") && ContainsSubstring("the run ended early"));
  CHECK(page.find("id=\"view\"") == std::string::npos);
}

TEST_CASE("names from a trace are texts in a page, whatever is in them") {
  Workload workload = transformer();
  const std::string hostile = "</script><img src=x onerror=alert(1)>\xff\"'&";
  workload.name = workload.source = hostile;
  workload.notes = {hostile};
  for (ProcessGroup& group : workload.groups) group.kind = hostile;
  for (std::vector<WorkNode>& nodes : workload.nodes)
    for (WorkNode& node : nodes) node.name = node.reason = hostile;
  RunResult result = run_of(workload);
  result.wrong = WrongData{0, hostile};
  result.algorithms = {hostile};
  const std::string page = page_of_step(workload, result, hostile);
  CHECK(page.find("<img") == std::string::npos);
  const nlohmann::json words = data_in(page).at("words");
  CHECK(std::any_of(words.begin(), words.end(),
                    [](const nlohmann::json& word) { return word.get<std::string>().find("</script><img src=x") == 0; }));
}

TEST_CASE("a page draws the first ranks whose nodes are not too many") {
  const Workload workload = transformer();
  CHECK(step_page::drawn_ranks(workload, run_of(workload).timeline) == 8);
  Workload large;
  large.nodes.assign(3, std::vector<WorkNode>(50));
  CHECK(step_page::drawn_ranks(large, Timeline(3), 150) == 3);
  CHECK(step_page::drawn_ranks(large, Timeline(3), 149) == 2);
  CHECK(step_page::drawn_ranks(large, Timeline(3), 10) == 1);
}

TEST_CASE("a page has both times of each row, and the difference of the one that it is a share of") {
  const Workload workload = transformer();
  const RunResult result = run_of(workload);
  RunResult slower = result;
  for (auto& rank : slower.timeline)
    for (Interval& interval : rank) {
      interval.start *= 1.25;
      interval.end *= 1.25;
    }
  slower.steps.front().seconds *= 1.25;
  Comparison comparison = compared(workload, result, slower);
  REQUIRE(comparison.step.size() == 6);
  CHECK(comparison.calls.size() == figures_of(workload, matches_of(workload), result).calls.size());
  for (const ComparedTime& call : comparison.calls) CHECK_THAT(*comparison.difference(call), WithinAbs(0.25, 1e-9));
  comparison.against_second = true;
  CHECK_THAT(*comparison.difference(comparison.step.front()), WithinAbs(-0.2, 1e-9));
  comparison.title = "predicted & \"measured\"";
  comparison.first = "<predicted>";
  comparison.second = "measured";
  const std::string page = page_of_step(workload, result, "8 ranks", std::span(&comparison, 1));
  const std::string report = comparison_text(comparison);
  for (const double seconds : {comparison.step.front().first, comparison.step.front().second, comparison.calls.front().second}) {
    CHECK_THAT(page, ContainsSubstring(format_seconds(Seconds(seconds))));
    CHECK_THAT(report, ContainsSubstring(format_seconds(Seconds(seconds))));
  }
  CHECK_THAT(page, ContainsSubstring("<td>-20.0 %</td>"));
  CHECK_THAT(page, ContainsSubstring("The step, predicted &amp; &quot;measured&quot;"));
  CHECK(page.find("<predicted>") == std::string::npos);
  CHECK(!comparison.difference({"nothing", 0, 0}));
}

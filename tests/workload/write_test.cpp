// The timeline as a trace, records as JSON, and what a run tells.
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/replay.hpp"
#include "bench/workload/report/chrome_trace.hpp"
#include "bench/workload/report/records.hpp"
#include "bench/workload/report/report.hpp"
#include "bench/workload/show/show.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using test::ContainsSubstring;

namespace {

Workload resnet() { return models::make_workload(*models::find_model("resnet50"), {.ranks = 2}); }

RunResult result_for(const Workload& workload) {
  RunResult result;
  result.timeline =
      replay(workload, matches_of(workload),
             {[&](int rank, std::uint32_t node) { return workload.nodes[static_cast<std::size_t>(rank)][node].duration.count(); },
              [](const Match&) { return 1e-3; }});
  result.steps.push_back({1, length_of(result.timeline), 0.1, 0.01, 0.004, 0.01, 0.1});
  result.shown = 1;
  result.algorithms = {"all_reduce by ring"};
  result.notes = {"messages pass through memory of the host"};
  return result;
}

}  // namespace

TEST_CASE("a trace has a complete event for each node, and names for processes and threads") {
  const Workload workload = resnet();
  const RunResult result = result_for(workload);
  const nlohmann::json trace = nlohmann::json::parse(chrome_trace(workload, result.timeline));
  std::size_t complete = 0, named = 0;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    REQUIRE(event.at("pid").is_number_unsigned());
    if (event.at("ph") == "M") {
      ++named;
      CHECK(event.at("args").at("name").is_string());
      continue;
    }
    CHECK(event.at("ph") == "X");
    CHECK(event.at("ts").get<double>() >= 0);
    CHECK(event.at("dur").get<double>() >= 0);
    CHECK(event.at("tid").is_number());
    CHECK((event.at("cat") == "communication" || event.at("cat") == "computation"));
    if (event.at("cat") == "communication") CHECK(event.at("args").at("bytes").get<std::uint64_t>() > 0);
    ++complete;
  }
  CHECK(complete == 2 * (1 + 5 + 7));  // without the marker
  CHECK(named == 2 * 3);
}

TEST_CASE("a trace has an arrow for each message, from its send into its receive") {
  const Workload workload = models::make_workload(*models::find_model("gpt3-175b"),
                                                  {.data = 2, .tensor = 2, .pipeline = 2, .micro_batches = 2, .layers = 2});
  const nlohmann::json trace = nlohmann::json::parse(chrome_trace(workload, result_for(workload).timeline));
  std::map<std::string, std::vector<nlohmann::json>> phases;
  for (const nlohmann::json& event : trace.at("traceEvents")) phases[event.at("ph")].push_back(event);
  // Forward and back of two micro-batches, over the boundary of four pairs of ranks.
  REQUIRE(phases["s"].size() == 16);
  REQUIRE(phases["f"].size() == 16);
  for (std::size_t i = 0; i < phases["s"].size(); ++i) {
    CHECK(phases["s"][i].at("id") == phases["f"][i].at("id"));
    CHECK(phases["s"][i].at("pid") != phases["f"][i].at("pid"));
    CHECK(phases["s"][i].at("ts") <= phases["f"][i].at("ts"));
  }
}

TEST_CASE("records come back as they were") {
  const Workload workload = resnet();
  const RunResult result = result_for(workload);
  const RunResult again = result_of(nlohmann::json::parse(to_json(result).dump()));
  CHECK(again.timeline == result.timeline);
  CHECK(again.algorithms == result.algorithms);
  CHECK(again.notes == result.notes);
  const StepRecord step = step_of(to_json(result.steps[0]));
  CHECK(step.seconds == result.steps[0].seconds);
  CHECK(step.alone_computation == 0.1);
  CHECK_THROWS_AS(step_of(nlohmann::json::parse("{\"step\": \"one\"}")), Error);
  CHECK_THROWS_AS(result_of(nlohmann::json::array()), Error);
}

TEST_CASE("the report says what is exposed, and does without a timeline") {
  const Workload workload = resnet();
  RunResult result = result_for(workload);
  const std::string whole = report_of(workload, result, "2 ranks");
  for (const char* const text : {"exposed", "hidden share", "critical path", "overlap efficiency", "all_reduce by ring", "busbw",
                                 "note: messages pass through memory of the host"})
    CHECK_THAT(whole, ContainsSubstring(text));
  result.timeline.clear();
  CHECK_THAT(report_of(workload, result, "2 ranks"), ContainsSubstring("step"));
  result.steps.clear();
  CHECK(report_of(workload, result, "2 ranks").empty());
}

TEST_CASE("the text of --show lists groups, sizes and formulas") {
  const std::string text = to_text(resnet(), 1, false);
  for (const char* const part : {"2,049,000", "7,875,584", "6,563,840", "6,637,568", "2,431,040", "DDP bucket", "8.196 MB"})
    CHECK_THAT(text, ContainsSubstring(part));
}

// Histories of runs on the page: which are drawn, what their tables say, and that nothing in them is more than text.
#include "reports/web/trend.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/web/data.hpp"
#include "reports/web/page.hpp"
#include "reports/web/trend_section.hpp"
#include "tests/reports/web/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::gathered;
using railgauge::test::made_result;

namespace {

// So many runs of 1 ms, the last ones, from `step` on, of 1.1 ms.
web::Trend made_trend(const std::string& title, std::size_t runs, std::size_t step) {
  web::Trend trend;
  trend.title = title;
  for (std::size_t i = 0; i < runs; ++i) {
    const double value = i < step ? 1e-3 : 1.1e-3;
    trend.points.push_back({"commit" + std::to_string(i), 1'767'312'000 + static_cast<std::int64_t>(i) * 86'400, value,
                            value * 0.99, value * 1.01, false});
  }
  if (step < runs) trend.steps = {{step, 0.1}};
  trend.baseline = web::TrendBaseline{1e-3, 0.98e-3, 1.02e-3, 0, std::min<std::size_t>(runs, 10) - 1};
  return trend;
}

std::string page_with(const std::vector<web::Trend>& trends) {
  return web::page_of(gathered({made_result("ring", 8, 1e-5, 1)}), {"railgauge", {}, trends});
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++found;
  return found;
}

}  // namespace

TEST_CASE("a step is named with its run in the sentence, the tables and the data") {
  web::Trend trend = made_trend("all_reduce, 4 KiB", 20, 15);
  trend.points[17].refused = true;
  const std::string page = test::markup_of(page_with({made_trend("steady", 20, 20), trend}));
  CHECK_THAT(page, ContainsSubstring("<section id=\"history\""));
  CHECK_THAT(page, ContainsSubstring("1 of 2 cases have change points: all_reduce, 4 KiB, last at commit15: 10.0 % slower."));
  CHECK_THAT(page, ContainsSubstring("step: 10.0 % slower"));
  CHECK_THAT(page, ContainsSubstring("stopped by the gate"));
  CHECK_THAT(page,
             ContainsSubstring("<td class=\"number\">2026-01-02 00:00</td>") || ContainsSubstring("<td>2026-01-02 00:00</td>"));
  CHECK(count(page, "baseline</td>") >= 20);
  const std::vector<web::Trend> drawn = web::drawn_trends(std::vector{made_trend("steady", 20, 20), trend});
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0].title == "all_reduce, 4 KiB");
  const auto data = nlohmann::json::parse(web::chart_data({}, drawn)).at("trends");
  CHECK(data[0].at("steps") == nlohmann::json::parse("[[15,0.1]]"));
  CHECK(data[0].at("labels").size() == 20);
  CHECK(data[0].at("value").size() == 20);
  CHECK(data[0].at("refused")[17] == 1);
  CHECK(data[0].at("baseline")[0] == 1e-3);
}

TEST_CASE("without a history there is no such part") {
  CHECK(page_with({}).find("<section id=\"history\"") == std::string::npos);
  CHECK(page_with({web::Trend{"empty", {}}}).find("<section id=\"history\"") == std::string::npos);
}

TEST_CASE("of many histories those that stepped are drawn, and of long ones the last runs") {
  std::vector<web::Trend> trends;
  for (int i = 0; i < 60; ++i) trends.push_back(made_trend("steady" + std::to_string(i), 12, 12));
  trends.push_back(made_trend("stepped", 1000, 700));
  const std::vector<web::Trend> drawn = web::drawn_trends(trends);
  REQUIRE(drawn.size() == web::most_trends);
  CHECK(drawn[0].title == "stepped");
  CHECK(drawn[0].points.size() == web::most_trend_points);
  REQUIRE(drawn[0].steps.size() == 1);
  CHECK(drawn[0].points[drawn[0].steps[0].at].label == "commit700");
  CHECK(drawn[0].baseline->first > drawn[0].baseline->last);  // of runs that are not drawn
  CHECK_THAT(page_with(trends), ContainsSubstring("The first 24 of 61 histories are drawn"));
}

TEST_CASE("histories of strangers stay text, and numbers that are none stay out") {
  web::Trend trend = made_trend("<script>alert(1)</script>", 6, 3);
  trend.points[0].label = "</script><img src=x onerror=alert(1)>";
  trend.points[1].value = std::numeric_limits<double>::quiet_NaN();
  trend.points[2].at = std::numeric_limits<std::int64_t>::max();
  trend.points[3].at = std::numeric_limits<std::int64_t>::min();
  trend.points[4].label = std::string(10'000'000, 'x');
  trend.steps = {{1, std::numeric_limits<double>::infinity()}, {99, 0.1}, {3, 0.1}};
  trend.baseline = web::TrendBaseline{1, 1, 1, 0, 99};
  const std::string page = page_with({trend});
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.size() < 3'000'000);
  const std::vector<web::Trend> drawn = web::drawn_trends(std::vector{trend});
  REQUIRE(drawn.at(0).steps.size() == 1);
  CHECK_FALSE(drawn[0].baseline);
  CHECK(nlohmann::json::parse(web::chart_data({}, drawn)).at("trends")[0].at("value")[1].is_null());
}

// Results of somebody who means harm, or has none of the numbers.
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/record/reader.hpp"
#include "reports/record/record.hpp"
#include "reports/web/data.hpp"
#include "reports/web/page.hpp"
#include "tests/reports/web/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::gathered;
using railgauge::test::made_pairs;
using railgauge::test::made_result;

namespace {

// Every text of a result.
void name_all(Result& result, const std::string& text) {
  Case& point = result.point;
  for (std::string* word :
       {&result.run, &result.reason, &point.collective, &point.algorithm, &point.transport, &point.device, &point.type, &point.op,
        &point.mode, &point.path, &result.summary.cache, &result.host.name, &result.host.cpu, &result.host.kernel})
    *word = text;
  if (result.expected) result.expected->basis = text;
  if (point.from >= 0) point.from_node = point.to_node = text + std::to_string(point.from);
  result.versions = {{text, text}};
  result.settings = {{text, text}};
}

std::string page_of(const std::vector<Result>& results, const std::string& file = "a.jsonl") {
  return web::page_of(gathered(results, file), {"railgauge", {}});
}

std::vector<Result> named(const std::string& text) {
  std::vector<Result> results = made_pairs(4, true);
  results.push_back(made_result("ring", 8, 1e-5, 1, 10));
  results.back().status = Status::wrong;
  for (Result& result : results) name_all(result, text);
  return results;
}

}  // namespace

TEST_CASE("markup in names stays text, wherever they are written") {
  for (const std::string attack :
       {"<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "<!--<script>",
        "' onmouseover='alert(1)", "</title></style></textarea><b>"}) {
    INFO(attack);
    const std::string page = test::markup_of(page_of(named(attack), attack));
    CHECK(page.find(attack) == std::string::npos);
    for (const char* piece : {"<img", "<svg", "<b>", "<script", "' onmouseover="}) CHECK(page.find(piece) == std::string::npos);
    const std::string data = web::chart_data(gathered(named(attack), attack));
    CHECK(data.find_first_of("<>&") == std::string::npos);
    CHECK(nlohmann::json::accept(data));
  }
}

TEST_CASE("names of ten megabytes are cut", "[long]") {
  Result result = made_result("ring", 8, 1e-5, 1, 10);
  result.status = Status::wrong;
  name_all(result, std::string(10'000'000, 'x'));
  const std::string page = page_of({result});
  CHECK(page.size() < 4'000'000);
  CHECK_THAT(page, ContainsSubstring("(10000000 bytes in all)"));
}

TEST_CASE("numbers that are none, none measured, and nobody's counts make a page all the same") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Result odd = made_result("ring", std::numeric_limits<std::uint64_t>::max(), nan, nan, nan);
  odd.point.ranks = std::numeric_limits<int>::max();
  odd.samples.assign(500, Seconds(std::numeric_limits<double>::infinity()));
  odd.arrival = Arrival{1, Seconds(nan), Seconds(nan), Seconds(nan), 0, std::vector<std::uint64_t>(100'000, 1), {}};
  Result empty;
  const std::string page = page_of({odd, empty});
  for (const char* piece : {">nan", ">-nan", ">inf", "nan %", "nan s"})
    CHECK(test::markup_of(page).find(piece) == std::string::npos);
  CHECK(nlohmann::json::accept(web::chart_data(gathered({odd, empty}))));
  CHECK(page.size() < 4'000'000);
}

TEST_CASE("a page of what was written and read back is the same page") {
  std::vector<Result> read;
  std::vector<Result> wrote = made_pairs(3, false);
  wrote.push_back(made_result("ring", 8, 1e-5, 1, 10));
  for (const Result& result : wrote) read.push_back(read_result(result_line(result), "here"));
  CHECK(page_of(read) == page_of(wrote));
}

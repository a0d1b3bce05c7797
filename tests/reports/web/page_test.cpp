// The page as a whole: one file, well made, with a table for each chart.
#include "reports/web/page.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "reports/pairs/shades.hpp"
#include "reports/web/data.hpp"
#include "tests/reports/results.hpp"
#include "tests/reports/web/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::gathered;
using railgauge::test::made_pairs;
using railgauge::test::made_result;

namespace {

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++found;
  return found;
}

std::vector<Result> everything() {
  std::vector<Result> results = test::sample_results();
  for (const Result& result : made_pairs(4, true)) results.push_back(result);
  for (const Result& result : test::copy_results()) results.push_back(result);
  Result started = made_result("ring", 64, 1e-5, 1, 3);
  started.arrival = Arrival{100, Seconds(1e-6), Seconds(2e-6), Seconds(1e-7), 0, {10, 20, 30, 40}, {70, 10, 10, 10}};
  results.push_back(started);
  return results;
}

}  // namespace

TEST_CASE("every element that is opened is closed, and every part has its heading") {
  const std::string page = test::markup_of(web::page_of(gathered(everything()), {"railgauge 9", {}}));
  CHECK(page.starts_with("<!DOCTYPE html>\n"));
  CHECK(page.ends_with("</html>\n"));
  for (const std::string tag : {"html", "head", "body", "header", "nav", "main", "footer", "section", "table", "thead", "tbody",
                                "tr", "details", "summary", "ul", "style"}) {
    INFO(tag);
    CHECK(count(page, "<" + tag + ">") + count(page, "<" + tag + " ") == count(page, "</" + tag + ">"));
  }
  for (const char* id : {"verdict", "curves", "efficiency", "pairs", "samples", "ranks", "runs", "reading"}) {
    INFO(id);
    CHECK(count(page, "<section id=\"" + std::string(id) + "\"") == 1);
    CHECK(count(page, "<a href=\"#" + std::string(id) + "\">") == 1);
  }
  for (const char* word :
       {"@title@", "@heading@", "@what@", "@policy@", "@style@", "@links@", "@body@", "@program@", "@data@", "@script@"}) {
    INFO(word);
    CHECK(count(page, word) == 0);
  }
  CHECK_THAT(page, ContainsSubstring("Made by railgauge 9."));
  CHECK(count(page, "<h1>") == 1);
}

TEST_CASE("what a gate said stands behind the verdict, as text") {
  const std::string page = test::markup_of(
      web::page_of(gathered(everything()), {"railgauge 9", {}, {}, {"  regressed   <b>it</b>", "stopped: slower"}}));
  CHECK_THAT(page, ContainsSubstring("<section id=\"gate\"") && ContainsSubstring("<p><strong>stopped: slower</strong></p>") &&
                       ContainsSubstring("&lt;b&gt;it"));
  CHECK(page.find("id=\"verdict\"") < page.find("id=\"gate\""));
  CHECK(test::markup_of(web::page_of(gathered(everything()), {"railgauge 9", {}})).find("id=\"gate\"") == std::string::npos);
}

TEST_CASE("the numbers stand in tables, whoever draws") {
  const std::string page = web::page_of(gathered({made_result("ring", 1U << 20U, 1.25e-3, 4.5, 10)}), {"railgauge", {}});
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">1.25 ms</td>"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">4.500</td>"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">45 %</td>"));
  CHECK_THAT(page, ContainsSubstring("below 75 %"));
  CHECK_THAT(page, ContainsSubstring("<p class=\"verdict warning\">"));
}

TEST_CASE("the data of the charts is JSON in columns of one length") {
  const auto data = nlohmann::json::parse(web::chart_data(gathered(everything())));
  const auto& points = data.at("points");
  std::size_t all = 0;
  for (const auto& curve : data.at("curves")) {
    CHECK(curve.at("first") == all);
    all += curve.at("count").get<std::size_t>();
  }
  CHECK(all > 0);
  for (const auto& [name, column] : points.items()) {
    INFO(name);
    CHECK(column.size() == all);
  }
  REQUIRE_FALSE(data.at("matrices").empty());
  for (const auto& matrix : data.at("matrices"))
    CHECK(matrix.at("seconds").size() == matrix.at("rows").size() * matrix.at("columns").size());
  for (const auto& samples : data.at("samples")) CHECK(samples.at("curve").get<std::size_t>() < data.at("curves").size());
}

TEST_CASE("a picture of the topology has its place") {
  const std::string page =
      web::page_of(gathered({made_result("ring", 8, 1e-5, 1)}), {"railgauge", {"<svg>picture</svg>", "Two <hosts>"}});
  CHECK_THAT(page, ContainsSubstring("<svg>picture</svg>"));
  CHECK_THAT(page, ContainsSubstring("Two &lt;hosts&gt;"));
  CHECK(count(page, "<section id=\"topology\"") == 1);
}

TEST_CASE("fifty thousand points stay small", "[long]") {
  web::Gathering gathering;
  for (std::uint64_t i = 0; i < 50'000; ++i)
    gathering.add(
        made_result("algorithm" + std::to_string(i % 100), 8 * (1 + i / 100), 1e-5 * static_cast<double>(1 + i % 977), 1, 10),
        "a");
  const web::Contents contents = gathering.finish();
  CHECK(web::chart_data(contents).size() < 6'000'000);
  CHECK(web::page_of(contents, {"railgauge", {}}).size() < 9'000'000);
}

TEST_CASE("columns without a value are left out") {
  const std::string without = web::page_of(gathered({made_result("ring", 64, 1e-5, 1)}), {"railgauge", {}});
  for (const char* column : {"allowed GB/s", "share of it", "J/GB", "of the fastest there", "topology"}) {
    INFO(column);
    CHECK(count(without, std::string(">") + column + "</th>") == 0);
  }
  CHECK(count(without, ">p99</th>") == 2);
  const std::string with = web::page_of(gathered({made_result("ring", 64, 1e-5, 1, 2)}), {"railgauge", {}});
  CHECK(count(with, ">allowed GB/s</th>") == 2);
  CHECK(count(with, ">J/GB</th>") == 0);
}

TEST_CASE("a column with a value in a row that the script turns to stays") {
  std::vector<Result> results;
  for (std::uint64_t i = 1; i <= 300; ++i)
    results.push_back(i < 300 ? made_result("ring", 8 * i, 1e-5, 1) : made_result("ring", 8 * i, 1e-5, 1, 2));
  const std::string page = web::page_of(gathered(results), {"railgauge", {}});
  CHECK(count(page.substr(page.find("id=\"points\"")), ">allowed GB/s</th>") >= 1);
}

TEST_CASE("the fastest is told among what was measured alike") {
  const auto beside = [](const Result& other) {
    const std::string page = web::page_of(gathered({made_result("ring", 64, 1e-5, 1), other}), {"railgauge", {}});
    return count(page, "<td class=\"number\">50 %</td>") == 1 && count(page, "<td class=\"number\">100 %</td>") == 1;
  };
  Result other = made_result("tree", 64, 1e-5, 2);
  CHECK(beside(other));
  other.summary.cache = "cold";
  CHECK_FALSE(beside(other));
  other = made_result("tree", 64, 1e-5, 2);
  other.point.type = "int8";
  CHECK_FALSE(beside(other));
  CHECK_FALSE(beside(made_result("tree", 128, 1e-5, 2)));
}

TEST_CASE("a heat map has the terminal's steps, and only who was judged slow is marked") {
  const auto data = [](bool slow) { return nlohmann::json::parse(web::chart_data(gathered(made_pairs(5, slow)))); };
  const auto healthy = data(false);
  REQUIRE(healthy.at("shades").size() == shades.size());
  for (std::size_t i = 0; i < shades.size(); ++i) CHECK(healthy.at("shades")[i][0] == shades[i].least);
  CHECK(healthy.at("matrices")[0].at("slow").empty());
  CHECK(healthy.at("matrices")[0].at("median") == 1e-4);
  // The last host's row and column, without the diagonal.
  CHECK(data(true).at("matrices")[0].at("slow") == nlohmann::json({4, 9, 14, 19, 20, 21, 22, 23}));
}

TEST_CASE("7 among 13 GB/s is no alarm") {
  CHECK(std::string(shades[shade_of(1 / 7.0, 1 / 10.0)].glyph) == "▓");
  CHECK(shade_of(1 / 13.0, 1 / 10.0) == 0);
  CHECK(shade_of(1, 0.1) == shades.size() - 1);
}

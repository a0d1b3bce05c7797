// The sentence that a page begins with.
#include "reports/web/verdict.hpp"

#include "tests/reports/results.hpp"
#include "tests/reports/web/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::gathered;
using railgauge::test::made_pairs;
using railgauge::test::made_result;

TEST_CASE("where all is well it says so, and how near the links' ceiling it came") {
  const web::PageVerdict verdict =
      web::verdict_of(gathered({made_result("ring", 8, 1e-5, 0.1, 10), made_result("ring", 1U << 20U, 1e-3, 9, 10)}));
  CHECK(verdict.level == web::Level::good);
  CHECK(verdict.what == "all_reduce over ucx, 4 ranks on 2 hosts: 2 results");
  CHECK(verdict.sentence ==
        "Nothing is wrong: all data was right and nothing failed; the lowest curve, all_reduce, float32 sum, 4 ranks on 2 hosts, "
        "ring over ucx, reaches 90 % of what its links allow.");
  CHECK(verdict.figures ==
        "Most bus bandwidth. all_reduce, float32 sum, 4 ranks on 2 hosts: 9.000 GB/s at 1 MiB by ring over ucx.");
  CHECK(verdict.findings.empty());
}

TEST_CASE("without a ceiling nobody is told that it is good") {
  const web::PageVerdict verdict = web::verdict_of(gathered({made_result("ring", 8, 1e-5, 1)}));
  CHECK(verdict.level == web::Level::good);
  CHECK(verdict.sentence ==
        "Nothing is wrong: all data was right and nothing failed; whether it is fast enough is not judged, since what the links "
        "allow is not known here.");
}

TEST_CASE("a curve is below expectation only when its best size is") {
  const web::PageVerdict verdict =
      web::verdict_of(gathered({made_result("ring", 8, 1e-5, 0.1, 10), made_result("ring", 1U << 20U, 1e-3, 9, 10),
                                made_result("tree", 8, 1e-5, 0.1, 10), made_result("tree", 1U << 20U, 1e-3, 4, 10)}));
  CHECK(verdict.level == web::Level::warning);
  CHECK(verdict.sentence ==
        "1 of 2 curves with a known ceiling stays below 75 % of it, the lowest, all_reduce, float32 sum, 4 ranks on 2 hosts, "
        "tree over "
        "ucx, at 40 %.");
  REQUIRE(verdict.findings.size() == 1);
  CHECK_THAT(verdict.findings[0].text,
             ContainsSubstring("tree over ucx, 1 MiB: 40 % of what the links allow (ring: min(V, g*r)"));
}

TEST_CASE("wrong data is the first thing said, and each kind of trouble is counted") {
  Result wrong = made_result("ring", 8, 1e-5, 1);
  wrong.status = Status::wrong;
  wrong.reason = "rank 2, element 5: expected 3, got 4";
  Result failed = made_result("ring", 16, 1e-5, 1);
  failed.status = Status::failed;
  failed.reason = "rank 3 was killed by signal 9";
  failed.summary = {};
  Result unsure = made_result("ring", 32, 1e-5, 1);
  unsure.status = Status::not_converged;
  Result skipped = failed;
  skipped.status = Status::skipped;
  const web::PageVerdict verdict = web::verdict_of(gathered({unsure, skipped, failed, wrong}));
  CHECK(verdict.level == web::Level::fault);
  CHECK(verdict.sentence ==
        "The data of 1 result was WRONG; 1 result failed; 1 result was skipped; whether it is fast enough is not judged, since "
        "what the links allow is not known here.");
  REQUIRE(verdict.notes.size() == 1);
  CHECK_THAT(verdict.notes[0], ContainsSubstring("1 of 4 results did not converge: the confidence interval is wider"));
  REQUIRE(verdict.findings.size() == 4);
  CHECK_THAT(verdict.findings[0].text, ContainsSubstring("wrong data: all_reduce"));
  CHECK_THAT(verdict.findings[0].text, ContainsSubstring("element 5"));
  CHECK(verdict.findings[3].level == web::Level::good);
}

TEST_CASE("a slow host is named") {
  const web::PageVerdict verdict = web::verdict_of(gathered(made_pairs(6, true)));
  CHECK(verdict.level == web::Level::warning);
  CHECK_THAT(verdict.sentence, ContainsSubstring("One slow outlier: host n5 (rank 5), both: sends"));
  CHECK(verdict.what == "pairs over ucx, 6 ranks on 6 hosts: 30 results");
  CHECK(web::verdict_of(gathered(made_pairs(6, false))).level == web::Level::good);
}

TEST_CASE("of a great many troubles eight are listed and the rest counted") {
  std::vector<Result> results;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    results.push_back(made_result("ring", 8 * i, 1e-5, 1));
    results.back().status = Status::not_converged;
  }
  const web::PageVerdict verdict = web::verdict_of(gathered(results));
  REQUIRE(verdict.findings.size() == 9);
  CHECK(verdict.findings[8].text == "and 12 more not converged");
  // A busy machine is no fault of a link: a note, and no word of it in the verdict.
  CHECK(verdict.level == web::Level::good);
  CHECK_THAT(verdict.sentence, ContainsSubstring("Nothing is wrong") && !ContainsSubstring("converge"));
  CHECK_THAT(verdict.notes.at(0), ContainsSubstring("20 of 20 results did not converge"));
}

TEST_CASE("wire errors and clocks that were throttled are said") {
  const web::PageVerdict verdict = web::verdict_of(gathered(test::sample_results()));
  CHECK(verdict.level == web::Level::fault);
  CHECK_THAT(verdict.sentence, ContainsSubstring("clocks were throttled in 1 result"));
  CHECK_THAT(verdict.sentence, ContainsSubstring("WRONG"));
}

TEST_CASE("nothing measured is no success") {
  Result skipped = made_result("ring", 8, 1e-5, 1);
  skipped.status = Status::skipped;
  skipped.summary = {};
  const web::PageVerdict verdict = web::verdict_of(gathered({skipped}));
  CHECK(verdict.level == web::Level::warning);
  CHECK_THAT(verdict.sentence, ContainsSubstring("Nothing was measured; 1 result was skipped"));
}

TEST_CASE("a share that was asked for and not reached is a fault, with its sentence") {
  std::vector<Result> results{made_result("ring", 1U << 20U, 1e-3, 9, 10), made_result("ring", 2U << 20U, 1e-3, 5, 10)};
  for (Result& result : results) result.expected_share = 0.8;
  web::PageVerdict verdict = web::verdict_of(gathered(results));
  CHECK(verdict.level == web::Level::fault);
  CHECK_THAT(verdict.sentence, ContainsSubstring("1 result does not reach the share of expected that was asked for"));
  REQUIRE_FALSE(verdict.findings.empty());
  CHECK_THAT(verdict.findings.front().text, ContainsSubstring("below what was asked for: ") && ContainsSubstring("50%"));
  results.pop_back();
  results.front().expected.reset();
  verdict = web::verdict_of(gathered(results));
  CHECK(verdict.level == web::Level::warning);
  CHECK_THAT(verdict.sentence, ContainsSubstring("There is no reference for 1 result"));
}

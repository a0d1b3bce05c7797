// Results in curves, matrices and samples.
#include "reports/web/gather.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "tests/reports/web/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::gathered;
using railgauge::test::made_pairs;
using railgauge::test::made_result;

TEST_CASE("points of one algorithm and transport are a curve, from the smallest size on") {
  const web::Contents contents = gathered(
      {made_result("ring", 4096, 2e-5, 3, 10), made_result("tree", 8, 1e-5, 0.1), made_result("ring", 8, 1e-5, 0.5, 10)});
  REQUIRE(contents.families.size() == 1);
  CHECK(contents.families[0].name == "all_reduce, float32 sum, 4 ranks on 2 hosts");
  REQUIRE(contents.curves.size() == 2);
  CHECK(contents.curves[0].name == "ring over ucx");
  REQUIRE(contents.curves[0].points.size() == 2);
  CHECK(contents.curves[0].points[0].bytes == 8);
  CHECK(contents.curves[0].widest == std::size_t{1});
  CHECK(contents.curves[0].nearest == std::size_t{1});
  CHECK_FALSE(contents.curves[1].nearest.has_value());
  CHECK(contents.results == 3);
}

TEST_CASE("what differs in more than size, algorithm and transport is another family") {
  Result other = made_result("ring", 8, 1e-5, 1);
  other.point.type = "int8";
  Result isolated = made_result("ring", 8, 1e-5, 1);
  isolated.point.mode = "isolated";
  const web::Contents contents = gathered({made_result("ring", 8, 1e-5, 1), other, isolated});
  CHECK(contents.families.size() == 3);
  CHECK(contents.families[2].name == "all_reduce, float32 sum, 4 ranks on 2 hosts, isolated");
}

TEST_CASE("runs are told apart by their files, else by their numbers") {
  web::Gathering gathering;
  gathering.add(made_result("ring", 8, 1e-5, 1), "x/a.jsonl");
  gathering.add(made_result("ring", 8, 1e-5, 1), "x/b.jsonl");
  gathering.add(made_result("ring", 8, 1e-5, 1), "y/b.jsonl");
  Result second = made_result("ring", 8, 1e-5, 1);
  second.run = "run2";
  gathering.add(second, "x/a.jsonl");
  const web::Contents contents = gathering.finish();
  REQUIRE(contents.sources.size() == 4);
  CHECK(contents.sources[0].label == "a.jsonl, run run");
  CHECK(contents.sources[1].label == "x/b.jsonl");
  CHECK(contents.sources[2].label == "y/b.jsonl");
  CHECK(contents.sources[3].label == "a.jsonl, run run2");
  REQUIRE(contents.curves.size() == 4);
  CHECK(contents.curves[1].name == "ring over ucx, x/b.jsonl");
}

TEST_CASE("a curve bears the name of its run only where another run did the same thing") {
  web::Gathering gathering;
  gathering.add(made_result("ring", 8, 1e-5, 1), "a.jsonl");
  Result other = made_result("ring", 8, 1e-5, 1);
  other.point.collective = "all_gather";
  gathering.add(other, "b.jsonl");
  const web::Contents contents = gathering.finish();
  REQUIRE(contents.curves.size() == 2);
  CHECK(contents.curves[0].name == "ring over ucx");
  CHECK(contents.curves[1].name == "ring over ucx");
}

TEST_CASE("pairs are a matrix, and its hosts go to the picture of the topology") {
  const web::Contents contents = gathered(made_pairs(5, true));
  CHECK(contents.curves.empty());
  REQUIRE(contents.matrices.size() == 1);
  CHECK(contents.matrices[0].name == "pairs, one_way over ucx, 1 MiB, 5 ranks");
  CHECK(contents.matrices[0].slow);
  CHECK_THAT(contents.matrices[0].sentences.at(0).text, ContainsSubstring("host n4 (rank 4), both"));
  CHECK(contents.between_hosts.size() == 20);
  CHECK_FALSE(gathered(made_pairs(5, false)).matrices[0].slow);
}

TEST_CASE("a matrix of more ranks than a page can hold is said to be too large") {
  std::vector<Result> pairs = made_pairs(2, false);
  for (Result& pair : pairs) pair.point.ranks = std::numeric_limits<int>::max();
  const web::Contents huge = gathered(pairs);
  REQUIRE(huge.matrices.size() == 1);
  CHECK_THAT(huge.matrices[0].too_large, ContainsSubstring("2147483647 ranks"));
  CHECK(huge.matrices[0].picture.matrix.ranks() == 0);
  for (Result& pair : pairs) pair.point.ranks = 1000;
  const web::Contents large = gathered(pairs);
  CHECK_FALSE(large.matrices[0].too_large.empty());
  CHECK(large.matrices[0].picture.matrix.ranks() == 1000);
}

TEST_CASE("a few samples are kept one by one, of many percentiles and the ends of stretches") {
  Result few = made_result("ring", 8, 1e-5, 1);
  Result many = made_result("tree", 8, 1e-5, 1);
  many.samples.clear();
  for (int i = 1; i <= 1000; ++i) many.samples.emplace_back(i);
  many.summary.samples = 4000;  // of which the file holds every fourth
  const web::Contents contents = gathered({few, many});
  REQUIRE(contents.samples.size() == 2);
  CHECK(contents.samples[0].times == std::vector<double>{1e-5, 5e-6, 2e-5});
  CHECK(contents.samples[0].step == 1);
  const web::Samples& thinned = contents.samples[1];
  CHECK(thinned.curve == 1);
  CHECK(thinned.times.empty());
  CHECK(thinned.step == 4);
  CHECK(thinned.held == 1000);
  REQUIRE(thinned.percentiles.size() == 101);
  CHECK(thinned.percentiles[0] == 1);
  CHECK(thinned.percentiles[50] == 500);
  CHECK(thinned.percentiles[100] == 1000);
  REQUIRE(thinned.low.size() == 200);
  CHECK(thinned.low[0] == 1);
  CHECK(thinned.high[0] == 5);
  CHECK(thinned.high[199] == 1000);
}

TEST_CASE("of very many points those with the longest tails keep their samples") {
  web::Gathering gathering;
  for (std::size_t i = 0; i < 2000; ++i) {
    Result result = made_result("ring", 8 * (i + 1), 1e-5, 1);
    result.summary.p99 = Seconds(1e-5 * static_cast<double>(i + 1));
    gathering.add(result, "a");
  }
  const web::Contents contents = gathering.finish();
  CHECK(contents.sampled == 2000);
  REQUIRE(contents.samples.size() == web::most_sampled);
  CHECK(contents.samples.front().point == 2000 - web::most_sampled);
  CHECK(contents.samples.back().point == 1999);
}

TEST_CASE("numbers that no measurement gives are refused") {
  const auto refusal = [](const Result& result) -> std::string {
    try {
      web::require_possible(result, "a.jsonl:3");
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      return error.what();
    }
    return {};
  };
  CHECK(refusal(made_result("ring", 8, 1e-5, 1, 10)).empty());
  CHECK(refusal(made_result("ring", 8, -1e-5, 1)) == "a.jsonl:3: min is -5e-06, which no measurement gives");
  CHECK_THAT(refusal(made_result("ring", 8, 1e-5, -1)), ContainsSubstring("algbw is -"));
  CHECK_THAT(refusal(made_result("ring", 8, 1e-5, 1, -10)), ContainsSubstring("expected_busbw is -10"));
  Result late = made_result("ring", 8, 1e-5, 1);
  late.samples[1] = Seconds(-1);
  CHECK_THAT(refusal(late), ContainsSubstring("one of times is -1"));
  Result missing = made_result("ring", 8, 1e-5, 1);
  missing.summary.p99 = Seconds(std::numeric_limits<double>::quiet_NaN());
  CHECK(refusal(missing).empty());
}

TEST_CASE("too many results are refused", "[long]") {
  web::Gathering gathering;
  const Result result = made_result("ring", 8, 1e-5, 1);
  for (std::size_t i = 0; i < web::most_results; ++i) gathering.add(result, "a");
  CHECK_THROWS_AS(gathering.add(result, "a"), Error);
}

TEST_CASE("where each size was run by one algorithm, a transport has one curve that names the algorithm of each point") {
  Result shm = made_result("binomial", 8, 1e-6, 1);
  shm.point.transport = "shm";
  Result other = made_result("ring", 8, 1e-5, 1);
  other.point.op = "max";
  const web::Contents contents =
      gathered({made_result("recursive_doubling", 8, 1e-5, 0.5), made_result("ring", 1U << 20U, 1e-3, 3),
                made_result("recursive_doubling", 64, 1e-5, 1), shm, other});
  REQUIRE(contents.curves.size() == 3);
  const web::Curve& joined = contents.curves[0];
  CHECK(joined.name == "ucx, algorithm by size");
  REQUIRE(joined.points.size() == 3);
  CHECK(joined.points[0].bytes == 8);
  CHECK(joined.by(joined.points[0]) == "recursive_doubling over ucx");
  CHECK(joined.points[2].bytes == 1U << 20U);
  CHECK(joined.by(joined.points[2]) == "ring over ucx");
  CHECK(joined.widest == std::size_t{2});
  CHECK(contents.curves[1].name == "binomial over shm");
  CHECK(contents.curves[2].name == "ring over ucx");
  // Samples follow their points.
  REQUIRE(contents.samples.size() == 5);
  CHECK(contents.samples[2].curve == 0);
  CHECK(contents.samples[2].point == 2);
}

TEST_CASE("algorithms that are compared at one size stay apart") {
  const web::Contents contents =
      gathered({made_result("ring", 8, 1e-5, 1), made_result("ring", 64, 1e-5, 1), made_result("tree", 64, 1e-5, 1)});
  REQUIRE(contents.curves.size() == 2);
  CHECK(contents.curves[0].name == "ring over ucx");
  CHECK(contents.curves[1].name == "tree over ucx");
}

TEST_CASE("two runs of auto are two curves with the names of their runs") {
  web::Gathering gathering;
  for (const char* file : {"a.jsonl", "b.jsonl"}) {
    gathering.add(made_result("ring", 64, 1e-5, 1), file);
    gathering.add(made_result("tree", 8, 1e-5, 1), file);
  }
  const web::Contents contents = gathering.finish();
  REQUIRE(contents.curves.size() == 2);
  CHECK(contents.curves[0].name == "ucx, algorithm by size, a.jsonl");
  CHECK(contents.curves[1].by(contents.curves[1].points[0]) == "tree over ucx, b.jsonl");
}

// Which points follow from what was asked for.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/schedule/algorithms/native.hpp"
#include "bench/select/choose.hpp"
#include "bench/select/counts.hpp"
#include "bench/select/sweep.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

SweepOptions asked(std::vector<std::string> collectives, std::vector<std::string> bytes = {"1K"}) {
  SweepOptions options;
  options.collectives = std::move(collectives);
  options.bytes = std::move(bytes);
  return options;
}

// Without measurements, over shared memory.
const Chooser nothing_measured;
const Choose auto_of = choice_of(nothing_measured, {"shm", 1, ""});

std::string refusal(const SweepOptions& options, int ranks = 4, int ranks_per_node = 4) {
  try {
    (void)make_points(options, ranks, ranks_per_node, auto_of);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return {};
}

std::vector<std::string> algorithms_of(const std::vector<Point>& points) {
  std::vector<std::string> names;
  for (const Point& point : points) names.emplace_back(point.spec.algorithm->name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the default is what is best, float32, sum, out of place") {
  const std::vector<Point> points = make_points(asked({"all_reduce"}, {"8:64"}), 4, 4, auto_of);
  REQUIRE(points.size() == 4);
  std::uint64_t bytes = 8;
  for (const Point& point : points) {
    CHECK(point.spec.algorithm == auto_of(Collective::all_reduce, point.spec.shape, point.bytes, 4, false));
    CHECK(point.spec.type == Type::float32);
    CHECK(point.spec.op == Op::sum);
    CHECK_FALSE(point.spec.in_place);
    CHECK(point.spec.lanes == 1);
    CHECK(point.spec.shape.ranks == 4);
    CHECK(point.spec.shape.root == 0);
    CHECK(point.spec.shape.ranks_per_node == 4);
    CHECK(point.bytes == bytes);
    CHECK(point.spec.elements == bytes / 4);
    CHECK(point.refusal.empty());
    bytes *= 2;
  }
}

TEST_CASE("all is every algorithm of every collective, those that cannot serve with the reason") {
  const auto all_but_pairs = static_cast<std::size_t>(std::count_if(
      catalog().begin(), catalog().end(), [](const Algorithm& algorithm) { return algorithm.collective != Collective::pairs; }));
  const std::vector<Point> points =
      make_points(asked({"all"}, {"4000"}), 3, 3, auto_of);  // 1000 elements, which 3 does not divide
  REQUIRE(points.size() == all_but_pairs);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CollectiveSpec& spec = points[i].spec;
    INFO(spec.algorithm->name);
    CHECK(spec.algorithm == &catalog()[i]);
    const bool unequal = spec.algorithm->equal_blocks && spec.elements % 3 != 0;
    CHECK(points[i].refusal.empty() == (spec.algorithm->refusal(spec.shape).empty() && !unequal));
    refused += points[i].refusal.empty() ? 0 : 1;
  }
  CHECK(refused > 0);
}

TEST_CASE("algorithms are chosen by name, automatically and all") {
  SweepOptions options = asked({"all_reduce"});
  options.algorithms = {"two_shot", "ring"};
  CHECK(algorithms_of(make_points(options, 4, 4, auto_of)) == Names{"ring", "two_shot"});
  const auto ring = [](Collective collective, const Shape&, std::uint64_t, std::uint64_t, bool) {
    return find_algorithm(collective, "ring");
  };
  options.algorithms = {"auto", "two_shot"};
  CHECK(algorithms_of(make_points(options, 4, 4, ring)) == Names{"ring", "two_shot"});
  options.algorithms = {"auto", "ring"};
  CHECK(algorithms_of(make_points(options, 4, 4, ring)) == Names{"ring"});
  options.algorithms = {"all"};
  CHECK(make_points(options, 4, 4, auto_of).size() == 7);
  options = asked({"all"});
  options.algorithms = {"auto"};
  CHECK(make_points(options, 4, 4, auto_of).size() == collectives().size() - 1);  // pairs is asked for by its name
  // Bruck is no algorithm of all_reduce, but one of all_gather.
  options = asked({"all_reduce", "all_gather"});
  options.algorithms = {"bruck"};
  CHECK(algorithms_of(make_points(options, 4, 4, auto_of)) == Names{"bruck"});
}

TEST_CASE("what reduces more at once than the device can is refused") {
  SweepOptions options = asked({"all_reduce"}, {"8"});
  options.algorithms = {"all"};
  options.most_operands = 5;
  std::string refused;
  for (const Point& point : make_points(options, 6, 6, auto_of))
    if (point.refusal.find("at once") != std::string::npos)
      refused += std::string(point.spec.algorithm->name) + ": " + point.refusal + "; ";
  CHECK_THAT(refused, ContainsSubstring("one_shot: it reduces 6 blocks at once, and the kernels of the device take up to 5") &&
                          ContainsSubstring("two_shot: it reduces 6") && !ContainsSubstring("ring"));
  const auto wide = [](Collective collective, const Shape&, std::uint64_t, std::uint64_t, bool) {
    return find_algorithm(collective, "one_shot");
  };
  options.algorithms = {};
  CHECK(algorithms_of(make_points(options, 6, 6, wide)) == Names{"ring"});
  options.algorithms = {"all"};
  options.most_operands = 6;
  for (const Point& point : make_points(options, 6, 6, auto_of)) CHECK_THAT(point.refusal, !ContainsSubstring("at once"));
}

// What a library offers, and why it refuses.
constexpr Collective library_has[] = {Collective::all_reduce};
constexpr CollectiveTable library{.collectives = library_has, .refusal = [](const CollectiveCall& call) {
                                    return call.collective == Collective::all_reduce ? std::string() : "it has none";
                                  }};

TEST_CASE("native is what the library offers, and a reason where it offers nothing") {
  SweepOptions options = asked({"all_reduce", "reduce"}, {"64"});
  options.algorithms = {"native", "ring"};
  options.lanes = 4;
  const std::vector<Point> points = make_points(options, 4, 4, auto_of, &library);
  CHECK(algorithms_of(points) == Names{"ring", "native", "native"});
  CHECK(points[1].refusal.empty());
  CHECK(points[1].spec.lanes == 1);
  CHECK(points[2].refusal == "it has none");
  for (const Point& point : make_points(options, 4, 4, auto_of))
    if (is_native(*point.spec.algorithm)) CHECK(point.refusal == "the transport has no collectives of its own");
  options.algorithms = {"native"};
  CHECK_THAT(refusal(options), ContainsSubstring("--algorithm native: the transport has no collectives of its own"));
  options.algorithms = {"all"};
  const auto natives = [&](const CollectiveTable* table) {
    const std::vector<Point> all = make_points(options, 4, 4, auto_of, table);
    return std::count_if(all.begin(), all.end(), [](const Point& point) { return is_native(*point.spec.algorithm); });
  };
  CHECK(natives(nullptr) == 0);
  CHECK(natives(&library) == 1);
}

TEST_CASE("unknown names are refused with the known ones") {
  CHECK_THAT(refusal(asked({"all_reduces"})), ContainsSubstring("all_reduces") && ContainsSubstring("all_reduce,"));
  SweepOptions options = asked({"all_reduce"});
  options.algorithms = {"bruck"};
  CHECK_THAT(refusal(options), ContainsSubstring("bruck") && ContainsSubstring("halving_doubling"));
  options = asked({"all_reduce"});
  options.types = {"float33"};
  CHECK_THAT(refusal(options), ContainsSubstring("float33") && ContainsSubstring("bfloat16"));
  options = asked({"all_reduce"});
  options.ops = {"plus"};
  CHECK_THAT(refusal(options), ContainsSubstring("plus") && ContainsSubstring("premulsum"));
  options = asked({""});
  CHECK_FALSE(refusal(options).empty());
}

TEST_CASE("an algorithm that cannot serve is refused by name and skipped otherwise") {
  SweepOptions options = asked({"all_gather"});
  options.algorithms = {"recursive_doubling"};
  CHECK_THAT(refusal(options, 3, 3), ContainsSubstring("all_gather by recursive_doubling"));
  CHECK(refusal(options, 4, 4).empty());
  options.algorithms = {"all"};
  const std::vector<Point> points = make_points(options, 3, 3, auto_of);
  const auto it = std::find_if(points.begin(), points.end(),
                               [](const Point& point) { return point.spec.algorithm->name == "recursive_doubling"; });
  REQUIRE(it != points.end());
  CHECK_FALSE(it->refusal.empty());
}

TEST_CASE("nodes decide whether a hierarchical algorithm can serve") {
  SweepOptions options = asked({"all_reduce"});
  options.algorithms = {"hierarchical"};
  CHECK_FALSE(refusal(options, 4, 4).empty());
  CHECK(refusal(options, 4, 2).empty());
}

TEST_CASE("equal blocks need a number of elements that divides") {
  SweepOptions options = asked({"all_gather"}, {"16", "20", "0"});
  options.algorithms = {"bruck"};
  const std::vector<Point> points = make_points(options, 4, 4, auto_of);
  REQUIRE(points.size() == 3);
  CHECK(points[0].refusal.empty());
  CHECK_THAT(points[1].refusal, ContainsSubstring("equal") && ContainsSubstring("multiple of 4"));
  CHECK(points[2].refusal.empty());
}

TEST_CASE("all_to_all rounds down, and refuses where nothing is left") {
  const std::vector<Point> points = make_points(asked({"all_to_all"}, {"24", "12", "0"}), 4, 4, auto_of);
  REQUIRE(points.size() == 3);
  CHECK(points[0].spec.elements == 4);
  CHECK(points[0].refusal.empty());
  CHECK(points[1].spec.elements == 0);
  CHECK_FALSE(points[1].refusal.empty());
  CHECK(points[2].refusal.empty());
}

TEST_CASE("in place, out of place or both") {
  SweepOptions options = asked({"all_reduce", "all_to_all"}, {"1K", "2K"});
  const auto count = [&](bool in_place) {
    const std::vector<Point> points = make_points(options, 4, 4, auto_of);
    return std::count_if(points.begin(), points.end(),
                         [&](const Point& point) { return point.spec.in_place == in_place && point.refusal.empty(); });
  };
  CHECK(count(false) == 4);
  CHECK(count(true) == 0);
  options.buffering = Buffering::in_place;
  CHECK(count(false) == 0);
  CHECK(count(true) == 2);  // all_to_all cannot
  options.buffering = Buffering::both;
  CHECK(count(false) == 4);
  CHECK(count(true) == 2);
  options = asked({"all_to_all"});
  options.buffering = Buffering::in_place;
  CHECK_THAT(refusal(options), ContainsSubstring("in place"));
}

TEST_CASE("the root is a rank") {
  SweepOptions options = asked({"broadcast"});
  options.root = 3;
  CHECK(make_points(options, 4, 4, auto_of).front().spec.shape.root == 3);
  for (const int root : {-1, 4}) {
    options.root = root;
    CHECK_THAT(refusal(options), ContainsSubstring("--root " + std::to_string(root)));
  }
}

TEST_CASE("an operation is for collectives that reduce") {
  SweepOptions options = asked({"all_reduce", "broadcast", "barrier"});
  options.ops = {"max", "avg"};
  options.types = {"int8", "float64"};
  const std::vector<Point> points = make_points(options, 4, 4, auto_of);
  REQUIRE(points.size() == 4 + 2 + 1);
  CHECK(points[0].spec.op == Op::max);
  CHECK(points[1].spec.op == Op::avg);
  CHECK(points[0].spec.type == Type::int8);
  CHECK(points[2].spec.type == Type::float64);
  CHECK(points[4].spec.op == Op::none);
  CHECK(points[5].spec.op == Op::none);
  CHECK(points[6].spec.op == Op::none);  // a barrier moves nothing: one point, whatever types and sizes were asked for
  CHECK(points[6].bytes == 0);
}

TEST_CASE("all types and all operations") {
  SweepOptions options = asked({"all_reduce"});
  options.types = {"all"};
  CHECK(make_points(options, 4, 4, auto_of).size() == types().size());
  options.types = {"float32"};
  options.ops = {"all"};
  const std::vector<Point> points = make_points(options, 4, 4, auto_of);
  CHECK(points.size() == ops().size());
}

TEST_CASE("sizes must be whole numbers of elements") {
  SweepOptions options = asked({"all_reduce"}, {"12"});
  options.types = {"float32", "float64"};
  CHECK_THAT(refusal(options), ContainsSubstring("--bytes 12") && ContainsSubstring("float64"));
}

TEST_CASE("sizes that no machine has are refused before anything is multiplied with them") {
  for (const char* size : {"7378697629483820648", "9223372036854775808", "18446744073709551612", "257T"})
    CHECK_THAT(refusal(asked({"all_reduce"}, {size})), ContainsSubstring("more than any rank can hold"));
  CHECK(refusal(asked({"all_reduce"}, {"256T"})).empty());
}

TEST_CASE("lanes are 1 to 64") {
  SweepOptions options = asked({"all_reduce"});
  options.lanes = 64;
  CHECK(make_points(options, 4, 4, auto_of).front().spec.lanes == 64);
  for (const std::size_t lanes : {std::size_t{0}, std::size_t{65}}) {
    options.lanes = lanes;
    CHECK_THAT(refusal(options), ContainsSubstring("--lanes"));
  }
}

TEST_CASE("counts of all_to_all_v are a matrix, and stand in for sizes") {
  const auto read = [](const std::string& text) {
    const std::string path = "sweep_test_counts";
    std::ofstream(path) << text;
    try {
      const std::vector<std::uint64_t> counts = read_counts(path);
      std::remove(path.c_str());
      return counts;
    } catch (...) {
      std::remove(path.c_str());
      throw;
    }
  };
  const std::vector<std::uint64_t> counts = read("# to 0, 1\n0, 5\n\n7 1 # from 1\n");
  CHECK(counts == std::vector<std::uint64_t>{0, 5, 7, 1});
  CHECK(most_exchanged(std::vector<std::uint64_t>{900, 1, 40, 1}, 2) == 40);
  CHECK(most_exchanged(std::vector<std::uint64_t>{1, 0, 7, 2, 3, 0, 0, 9, 5}, 3) == 9);
  CHECK(digest_of(counts) != digest_of(std::vector<std::uint64_t>{0, 7, 5, 1}));
  CHECK_THROWS_WITH(read("1 2\n3\n"), "sweep_test_counts:2: the row has 1 counts, and the first one 2");
  CHECK_THROWS_WITH(read("1 -2\n"), "sweep_test_counts:1: expected a number of elements, found -2");
  CHECK_THROWS_WITH(read("1 2\n"), "sweep_test_counts:1: there are 1 rows of 2 counts: each rank has one of both");
  CHECK_THROWS_WITH(read("0 0\n0 0\n"), "sweep_test_counts:2: all counts are 0");
  CHECK_THROWS_WITH(read("# none\n"), "sweep_test_counts:1: there are no counts");

  SweepOptions options = asked({"all_to_all_v"}, {"8:64"});
  options.counts = counts;
  const std::vector<Point> points = make_points(options, 2, 2, auto_of);
  REQUIRE(points.size() == 1);
  CHECK(points[0].spec.counts == counts);
  CHECK(points[0].spec.elements == 8);
  CHECK(points[0].bytes == 32);
  options.collectives = {"all_reduce"};
  CHECK_THROWS_WITH(make_points(options, 2, 2, auto_of), "--counts is of all_to_all_v: leave the other collectives out");
}

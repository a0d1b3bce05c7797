// In which order bench tune measures, and what it says of the outcome.
#include <algorithm>
#include <map>
#include <set>

#include "bench/select/tuning_order.hpp"
#include "bench/select/winners.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using railgauge::test::ContainsSubstring;

std::vector<Point> points_of(const std::vector<Collective>& collectives, const std::vector<std::uint64_t>& sizes) {
  std::vector<Point> points;
  for (const Collective collective : collectives)
    for (const Algorithm& algorithm : catalog())
      for (const std::uint64_t bytes : sizes) {
        if (algorithm.collective != collective) continue;
        Point point;
        point.spec.algorithm = &algorithm;
        point.bytes = bytes;
        points.push_back(point);
      }
  return points;
}

Result timed(const char* algorithm, std::uint64_t bytes, double seconds) {
  Result result;
  result.point.collective = "all_reduce";
  result.point.algorithm = algorithm;
  result.point.transport = "shm";
  result.point.ranks = 2;
  result.point.nodes = 1;
  result.point.bytes = bytes;
  result.summary.median = Seconds(seconds);
  return result;
}

}  // namespace

TEST_CASE("tune: every point in every pass, algorithms of a size next to each other") {
  const std::vector<Point> points = points_of({Collective::all_reduce, Collective::broadcast}, {8, 64, 512});
  for (const bool fair : {false, true}) {
    const std::vector<Point> order = tuning_order(points, fair);
    REQUIRE(order.size() == points.size() * tuning_passes);
    std::set<std::pair<Collective, std::uint64_t>> closed;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const auto place = [](const Point& point) { return std::pair(point.spec.algorithm->collective, point.bytes); };
      if (place(order[i]) == place(order[i - 1])) continue;
      CHECK(closed.insert(place(order[i - 1])).second);
      CHECK_FALSE(closed.contains(place(order[i])));
    }
  }
}

TEST_CASE("tune: when the time may end before the points do, each collective has its smallest and largest size early") {
  const std::vector<Collective> asked{Collective::all_reduce, Collective::broadcast, Collective::all_to_all};
  const std::vector<std::uint64_t> sizes{4, 16, 64, 256, 1024};
  const std::vector<Point> order = tuning_order(points_of(asked, sizes), true);
  const auto groups = [&](std::size_t count) {  // of the first so many
    std::vector<std::pair<Collective, std::uint64_t>> all;
    for (const Point& point : order)
      if (const std::pair place(point.spec.algorithm->collective, point.bytes); all.empty() || all.back() != place) {
        if (all.size() == count) break;
        all.push_back(place);
      }
    return all;
  };
  std::map<Collective, std::set<std::uint64_t>> early;
  for (const auto& [collective, bytes] : groups(6)) early[collective].insert(bytes);
  for (const Collective collective : asked) CHECK(early[collective] == std::set<std::uint64_t>{4, 1024});
  std::map<Collective, std::set<std::uint64_t>> later;
  for (const auto& [collective, bytes] : groups(9)) later[collective].insert(bytes);
  for (const Collective collective : asked) CHECK(later[collective] == std::set<std::uint64_t>{4, 64, 1024});
}

TEST_CASE("tune: winners by size with the runner-up, and what was not measured") {
  std::vector<Result> results{timed("ring", 1024, 2e-6), timed("binomial", 1024, 3e-6), timed("one_shot", 1024, 2.2e-6),
                              timed("ring", 8, 1e-6), timed("binomial", 8, 50e-6)};
  Result skipped = timed("ring", 1 << 20, 0);
  skipped.status = Status::skipped;
  skipped.reason = "the time budget of the sweep was used up";
  results.push_back(skipped);
  const std::string text = winners_text(results, 5);
  CHECK_THAT(text, ContainsSubstring("fastest of all_reduce: 2 ranks, host memory, back-to-back, over shm\n"));
  CHECK_THAT(text, ContainsSubstring("       8 B  ring               1.00 us  binomial              50x\n"));
  CHECK_THAT(text, ContainsSubstring("     1 KiB  ring               2.00 us  one_shot              10%\n"));
  CHECK(text.find("  8 B") < text.find("1 KiB"));
  CHECK_THAT(text, ContainsSubstring("2 of 2 sizes were measured in fewer than 5 passes"));
  CHECK_THAT(text,
             ContainsSubstring("not measured: all_reduce: 2 ranks, host memory, back-to-back, over shm: 1 MiB: the time budget"));
  CHECK(winners_text({timed("ring", 8, 1e-6)}, 1).find("passes") == std::string::npos);
}

}  // namespace railgauge

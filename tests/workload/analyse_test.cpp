// Exposed communication and critical paths of steps whose answers are known.
#include <algorithm>

#include "base/error.hpp"
#include "bench/workload/analyse/critical_path.hpp"
#include "bench/workload/analyse/exposed.hpp"
#include "bench/workload/analyse/groups.hpp"
#include "bench/workload/replay.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using test::ContainsSubstring;

namespace {

WorkNode compute(double seconds, std::vector<std::uint32_t> after = {}, int stream = 0) {
  WorkNode node;
  node.work = WorkKind::compute;
  node.name = "compute";
  node.duration = Seconds(seconds);
  node.after = std::move(after);
  node.stream = stream;
  return node;
}

WorkNode sum_call(int group, std::vector<std::uint32_t> after = {}, int stream = 1) {
  WorkNode node;
  node.work = WorkKind::collective;
  node.name = "sum";
  node.op = Op::sum;
  node.elements = 250'000;
  node.group = group;
  node.after = std::move(after);
  node.stream = stream;
  return node;
}

Workload of_ranks(std::vector<std::vector<WorkNode>> nodes) {
  Workload workload;
  workload.name = "made";
  workload.ranks = static_cast<int>(nodes.size());
  workload.nodes = std::move(nodes);
  ProcessGroup all{"all", "data", {}};
  for (int rank = 0; rank < workload.ranks; ++rank) all.ranks.push_back(rank);
  workload.groups.push_back(all);
  return workload;
}

// Every call takes a second.
Timeline replayed(const Workload& workload) {
  return replay(
      workload, matches_of(workload),
      {[&](int rank, std::uint32_t node) { return workload.nodes[static_cast<std::size_t>(rank)][node].duration.count(); },
       [](const Match&) { return 1.0; }});
}

}  // namespace

TEST_CASE("unions and differences of intervals") {
  CHECK(united({{3, 4}, {0, 1}, {1, 2}, {0.5, 1.5}, {5, 5}}) == Spans{{0, 2}, {3, 4}});
  CHECK(without({{0, 10}}, {{1, 2}, {3, 4}, {9, 12}}) == Spans{{0, 1}, {2, 3}, {4, 9}});
  CHECK(without({{0, 1}, {2, 3}}, {{0, 5}}).empty());
  CHECK(without({{0, 1}}, {}) == Spans{{0, 1}});
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::uint64_t random = seed;
    const auto draw = [&] { return (random = random * 6364136223846793005U + 1442695040888963407U) >> 33; };
    Spans a, b;
    for (int i = 0; i < 8; ++i) {
      const double x = static_cast<double>(draw() % 100), y = static_cast<double>(draw() % 100);
      a.push_back({x, x + static_cast<double>(draw() % 20)});
      b.push_back({y, y + static_cast<double>(draw() % 20)});
    }
    const Spans rest = without(united(a), united(b));
    double cells = 0;  // counted one by one
    const auto within = [](const Spans& spans, double at) {
      return std::any_of(spans.begin(), spans.end(), [&](const Interval& span) { return span.start <= at && at < span.end; });
    };
    for (int cell = 0; cell < 130; ++cell) cells += within(a, cell) && !within(b, cell) ? 1 : 0;
    CAPTURE(seed);
    CHECK(length(rest) == Approx(cells));
  }
}

TEST_CASE("no overlap: all communication is exposed") {
  const Workload workload = of_ranks({{compute(3), sum_call(0, {0})}, {compute(3), sum_call(0, {0})}});
  const Timeline timeline = replayed(workload);
  CHECK(length_of(timeline) == 4);
  const RankExposure exposure = exposure_of(workload.nodes[0], timeline[0]);
  CHECK(exposure.computing == 3);
  CHECK(exposure.all.communicating == 1);
  CHECK(exposure.all.exposed == 1);
  CHECK(exposed_waiting(workload, matches_of(workload), timeline) == std::vector<double>{0, 0});
  CHECK(without_communication(workload, matches_of(workload), timeline) == 3);
  const CriticalPath path = critical_path(workload, matches_of(workload), timeline);
  CHECK(path.computing == 3);
  CHECK(path.communicating == 1);
  CHECK(path.gaps == 0);
}

TEST_CASE("full overlap: nothing is exposed") {
  const Workload workload =
      of_ranks({{compute(1), sum_call(0, {0}), compute(3, {0})}, {compute(1), sum_call(0, {0}), compute(3, {0})}});
  const Timeline timeline = replayed(workload);
  const RankExposure exposure = exposure_of(workload.nodes[1], timeline[1]);
  CHECK(exposure.all.exposed == 0);
  CHECK(exposure.all.hidden_share() == 1);
  CHECK(without_communication(workload, matches_of(workload), timeline) == length_of(timeline));
  CHECK(critical_path(workload, matches_of(workload), timeline).communicating == 0);
}

TEST_CASE("a straggler: others wait for it, and that is told apart from transfers") {
  const Workload workload =
      of_ranks({{compute(2), sum_call(0, {0})}, {compute(5), sum_call(0, {0})}, {compute(2), sum_call(0, {0})}});
  const Timeline timeline = replayed(workload);
  CHECK(exposure_of(workload.nodes[0], timeline[0]).all.exposed == 4);
  CHECK(exposure_of(workload.nodes[1], timeline[1]).all.exposed == 1);
  CHECK(exposed_waiting(workload, matches_of(workload), timeline) == std::vector<double>{3, 0, 3});
  const CriticalPath path = critical_path(workload, matches_of(workload), timeline);
  REQUIRE(path.nodes.size() == 2);
  CHECK(path.nodes[0].rank == 1);
  CHECK(path.computing == 5);
  CHECK(path.communicating == 1);
  const auto rates = rates_of(workload, matches_of(workload), timeline);
  REQUIRE(rates.size() == 1);
  CHECK(rates[0].calls == 1);
  CHECK(rates[0].seconds == 1);
  CHECK(rates[0].waiting == 6);
  CHECK(rates[0].median_busbw == Approx(1e6 * 4 / 3));
}

TEST_CASE("two streams: each by itself, and both together once") {
  Workload workload =
      of_ranks({{sum_call(0), sum_call(1, {}, 2), compute(0.5)}, {sum_call(0), sum_call(1, {}, 2), compute(0.5)}});
  workload.groups.push_back({"pair", "tensor", {0, 1}});
  const Timeline timeline = replayed(workload);
  const RankExposure exposure = exposure_of(workload.nodes[0], timeline[0]);
  CHECK(exposure.all.communicating == 1);
  CHECK(exposure.all.exposed == 0.5);
  REQUIRE(exposure.of_stream.size() == 2);
  CHECK(exposure.of_stream.at(1).exposed == 0.5);
  CHECK(exposure.of_stream.at(2).exposed == 0.5);
}

TEST_CASE("calls that are alike run one after the other, in the order of the list") {
  const std::vector<WorkNode> nodes{compute(3), sum_call(0, {0}), sum_call(0, {}, 2)};
  const Timeline timeline = replayed(of_ranks({nodes, nodes}));
  CHECK(timeline[0][2].start == 4);
  const std::vector<WorkNode> other{sum_call(0), sum_call(0, {}, 2)};
  CHECK(length_of(replayed(of_ranks({other, other}))) == 2);
}

TEST_CASE("calls in another order on each rank hang, and are named") {
  Workload workload = of_ranks({{sum_call(0), sum_call(1)}, {sum_call(1), sum_call(0)}});
  workload.groups.push_back({"pair", "tensor", {0, 1}});
  try {
    (void)replayed(workload);
    FAIL("it hangs");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    CHECK_THAT(error.what(), ContainsSubstring("never comes"));
  }
}

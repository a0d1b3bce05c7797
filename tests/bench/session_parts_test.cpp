// The parts of a session, each over the memory transport with ranks that are threads: what connects, which path plans take, what
// is found wrong, and what a result says.
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/select/choose.hpp"
#include "bench/session/connection.hpp"
#include "bench/session/plan_factory.hpp"
#include "bench/session/point_result.hpp"
#include "bench/session/point_runner.hpp"
#include "bench/session/session.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

constexpr int ranks = 2;

struct Asked {
  SessionOptions options;
  SweepOptions sweep;
  Settings settings;  // of the memory transport

  Asked() {
    sweep.collectives = {"all_reduce"};
    sweep.algorithms = {"ring"};
    sweep.bytes = {"4K"};
    options.policy.max_time = Seconds(0.2);
    options.policy.min_time = Seconds(0);
  }
};

// Runs `body` on each rank with its connection's arguments. The first error that a rank threw, in words; else empty.
std::string on_ranks(const Asked& asked,
                     const std::function<void(Group&, const ChosenTransport&, const std::vector<Point>&)>& body) {
  const std::vector<KnownTransport> known = known_transports({});
  const ChosenTransport transport = choose_transport(known, "memory", {{"memory", asked.settings}});
  const Chooser chooser;
  const std::vector<Point> points = make_points(asked.sweep, ranks, 1, choice_of(chooser, {}));
  for (const std::exception_ptr& error :
       run_as_threads(ranks, Seconds(60), [&](Group& group) { body(group, transport, points); })) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const Error& thrown) { return thrown.what(); }
  }
  return {};
}

std::string path_of(const Asked& asked) {
  std::string path;
  std::mutex mutex;
  const std::string said = on_ranks(asked, [&](Group& group, const ChosenTransport& transport, const std::vector<Point>& points) {
    Connection connection(group, transport, points, asked.options);
    const PlanFactory factory(connection, asked.options);
    const std::lock_guard guard(mutex);
    path = factory.path_of(*points.front().spec.algorithm);
  });
  return said.empty() ? path : said;
}

std::vector<Result> results_of(const Asked& asked) {
  std::vector<Result> results;
  const std::string said = on_ranks(asked, [&](Group& group, const ChosenTransport& transport, const std::vector<Point>& points) {
    (void)run_session(group, transport, points, asked.options, [&](const Result& result) { results.push_back(result); });
  });
  CHECK(said.empty());
  return results;
}

}  // namespace

TEST_CASE("session: the path is chosen once, by what is asked for and what the transport maps") {
  Asked asked;
  CHECK(path_of(asked) == "mapped");
  asked.options.path = Path::exchange;
  CHECK(path_of(asked) == "exchange");
  asked.options.path = Path::automatic;
  asked.settings = {{"mapped", "off"}};
  CHECK(path_of(asked) == "exchange");
  asked.settings = {};
  asked.options.unaligned = 1;
  CHECK(path_of(asked) == "exchange");
}

TEST_CASE("session: what a connection cannot do is refused with one sentence") {
  Asked asked;
  asked.options.path = Path::staged;
  CHECK_THAT(path_of(asked), ContainsSubstring("--path staged is of memory of a device"));
  asked.options.path = Path::mapped;
  asked.settings = {{"mapped", "off"}};
  CHECK_THAT(path_of(asked), ContainsSubstring("--path mapped: the memory transport maps nobody's memory here"));
  asked.options.path = Path::automatic;
  asked.options.graph = true;
  CHECK_THAT(path_of(asked), ContainsSubstring("--graph is of plans that work in a device's stream alone"));
}

TEST_CASE("session: sets that start off their alignment lie further apart, and those that do not lie side by side") {
  SessionOptions options;
  const SetLayout aligned(options, 0);
  CHECK(aligned.shift(Type::float32) == 0);
  CHECK(aligned.stride(4096, Type::float32) == 4096);
  SessionOptions off = options;
  off.unaligned = 3;
  const SetLayout shifted(off, 0);
  CHECK(shifted.shift(Type::float32) == 12);
  CHECK(shifted.stride(4096, Type::float32) == 4096 + buffer_alignment);
}

TEST_CASE("session: a runner measures a point and checks its data, by each path") {
  for (const Path path : {Path::mapped, Path::exchange}) {
    Asked asked;
    asked.options.path = path;
    std::mutex mutex;
    const std::string said =
        on_ranks(asked, [&](Group& group, const ChosenTransport& transport, const std::vector<Point>& points) {
          Connection connection(group, transport, points, asked.options);
          PlanFactory factory(connection, asked.options);
          PointRunner runner(connection, factory, asked.options);
          const MeasuredPoint measured = runner.run(points.front(), asked.options.policy, {});
          const std::lock_guard guard(mutex);
          CHECK_FALSE(measured.fixed);
          CHECK(measured.sets.count >= 1);
          CHECK(measured.measurement.operations > 0);
          CHECK_FALSE(measured.measurement.samples.empty());
          REQUIRE(runner.lines() != nullptr);
          CHECK(runner.lines()->size() == static_cast<std::size_t>(ranks));
        });
    CHECK(said.empty());
  }
}

TEST_CASE("session: data that a transfer spoilt is a wrong result, and the next point is measured") {
  Asked asked;
  asked.options.path = Path::exchange;
  asked.sweep.bytes = {"4K", "8K"};
  asked.settings = {{"fault", "corrupt"}, {"rank", "1"}, {"transfer", "40"}, {"mapped", "off"}};
  const std::vector<Result> results = results_of(asked);
  REQUIRE(results.size() == 2);
  CHECK(results[0].status == Status::wrong);
  CHECK_THAT(results[0].reason, ContainsSubstring("wrong element"));
  CHECK(results[1].status != Status::wrong);
}

TEST_CASE("session: a result says what was asked for, how it ran and on what") {
  Asked asked;
  asked.options.run = "a run";
  const std::vector<Result> results = results_of(asked);
  REQUIRE(results.size() == 1);
  const Result& result = results.front();
  CHECK(result.run == "a run");
  CHECK(result.point.collective == "all_reduce");
  CHECK(result.point.algorithm == "ring");
  CHECK(result.point.transport == "memory");
  CHECK(result.point.path == "mapped");
  CHECK(result.point.bytes == 4096);
  CHECK(result.point.ranks == ranks);
  CHECK(result.summary.busbw > 0);
  CHECK(result.summary.busbw == result.summary.algbw);  // 2 (n - 1) / n of two ranks
  CHECK(result.arrival.has_value());
}

// The loop of one rank over plans and a clock that are made up.
#include "bench/workload/run/executor.hpp"

#include <array>

#include "base/error.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using test::ContainsSubstring;

namespace {

std::unique_ptr<Computations> on_host(Computing computing, std::size_t streams, Clock clock) {
  static const auto device = make_host_device();
  return make_computations(computing, streams, clock, *device, 0);
}

// Each reading is a millisecond after the one before.
Seconds tick(void* context) {
  auto& now = *static_cast<double*>(context);
  now += 1e-3;
  return Seconds(now);
}

// Complete after so many looks.
class Fake final : public Runnable {
 public:
  explicit Fake(int looks, std::vector<int>& log, int name) : looks_(looks), log_(log), name_(name) {}
  void start() override {
    REQUIRE(left_ == 0);
    left_ = looks_;
    log_.push_back(name_);
  }
  bool test() override {
    if (left_ > 1) return --left_, false;
    left_ = 0;
    return true;
  }

 private:
  int looks_, left_ = 0;
  std::vector<int>& log_;
  int name_;
};

WorkNode fake_node(WorkKind work, int stream, std::vector<std::uint32_t> after = {}) {
  WorkNode made;
  made.work = work;
  made.stream = stream;
  made.after = std::move(after);
  made.name = "n";
  made.duration = Seconds(0.02);
  return made;
}

}  // namespace

TEST_CASE("nodes run in the order of their streams, after their predecessors") {
  const std::vector<WorkNode> nodes{fake_node(WorkKind::compute, 0),         fake_node(WorkKind::collective, 1, {0}),
                                    fake_node(WorkKind::collective, 2, {0}), fake_node(WorkKind::compute, 0),
                                    fake_node(WorkKind::collective, 1, {3}), fake_node(WorkKind::marker, 0, {1, 2, 4})};
  double now = 0;
  const Clock clock{tick, &now};
  std::vector<int> log;
  Fake one(5, log, 1), two(50, log, 2);
  const auto computations = on_host(Computing::pause, Executor::computing_streams(nodes), clock);
  Executor executor(nodes, {nullptr, &one, &two, nullptr, &one, nullptr}, *computations, clock);
  std::vector<Interval> times(nodes.size());
  for (int step = 0; step < 3; ++step) {
    log.clear();
    executor.run(Part::all, times, {[] {}, Seconds(1e6), false});
    CHECK(log == std::vector<int>{1, 2, 1});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      CHECK(times[i].end >= times[i].start);
      for (const std::uint32_t before : nodes[i].after) CHECK(times[i].start >= times[before].end);
    }
    CHECK(times[0].length() >= 0.02);
    CHECK(times[4].start >= times[1].end);  // one stream, and one plan
  }
  executor.run(Part::communication, times, {[] {}, Seconds(1e6), false});
  CHECK(times[0].length() < 0.02);
  log.clear();
  executor.run(Part::computation, times, {[] {}, Seconds(1e6), false});
  CHECK(log.empty());
}

TEST_CASE("streams that share a plan use it one after the other") {
  const std::vector<WorkNode> nodes{fake_node(WorkKind::collective, 1), fake_node(WorkKind::collective, 2),
                                    fake_node(WorkKind::collective, 3)};
  double now = 0;
  const Clock clock{tick, &now};
  std::vector<int> log;
  Fake plan(7, log, 1);
  const auto computations = on_host(Computing::none, 0, clock);
  Executor executor(nodes, {&plan, &plan, &plan}, *computations, clock);
  std::vector<Interval> times(3);
  executor.run(Part::all, times, {[] {}, Seconds(1e6), false});
  CHECK(log.size() == 3);
}

TEST_CASE("a call that does not end is named after the watchdog's time") {
  const std::vector<WorkNode> nodes{fake_node(WorkKind::collective, 4)};
  double now = 0;
  const Clock clock{tick, &now};
  std::vector<int> log;
  Fake plan(1 << 30, log, 1);
  const auto computations = on_host(Computing::none, 0, clock);
  Executor executor(nodes, {&plan}, *computations, clock);
  std::vector<Interval> times(1);
  try {
    executor.run(Part::all, times, {[] {}, Seconds(2), false});
    FAIL("it never ends");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::lost);
    CHECK_THAT(error.what(), ContainsSubstring("stream 4 is in n"));
  }
}

TEST_CASE("what others know of a loss ends a step") {
  const std::vector<WorkNode> nodes{fake_node(WorkKind::collective, 0)};
  std::vector<int> log;
  Fake plan(1 << 30, log, 1);
  const auto computations = on_host(Computing::none, 0, steady_clock());
  Executor executor(nodes, {&plan}, *computations, steady_clock());
  std::vector<Interval> times(1);
  const auto lost = [] { throw Error(Fault::lost, "rank 2 ended"); };
  CHECK_THROWS_AS(executor.run(Part::all, times, {lost, Seconds(30), false}), Error);
}

TEST_CASE("nodes that share a plan use it in the order of the list, whichever is ready first") {
  const std::vector<WorkNode> nodes{fake_node(WorkKind::compute, 0), fake_node(WorkKind::collective, 1, {0}),
                                    fake_node(WorkKind::collective, 2)};
  double now = 0;
  const Clock clock{tick, &now};
  std::vector<int> log;
  Fake plan(7, log, 1);
  const auto computations = on_host(Computing::pause, 1, clock);
  Executor executor(nodes, {nullptr, &plan, &plan}, *computations, clock);
  std::vector<Interval> times(nodes.size());
  for (int step = 0; step < 2; ++step) {
    executor.run(Part::all, times, {[] {}, Seconds(1e6), false});
    CHECK(times[2].start >= times[1].end);
  }
}

TEST_CASE("kernels of two streams end, one after the other or together") {
  const std::vector<WorkNode> nodes{fake_node(WorkKind::compute, 0), fake_node(WorkKind::compute, 7)};
  const auto computations = on_host(Computing::kernel, Executor::computing_streams(nodes), steady_clock());
  Executor executor(nodes, {nullptr, nullptr}, *computations, steady_clock());
  std::vector<Interval> times(2);
  executor.run(Part::all, times, {[] {}, Seconds(30), true});
  for (const Interval& interval : times) CHECK(interval.end >= interval.start);
}

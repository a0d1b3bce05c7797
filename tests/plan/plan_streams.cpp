#include <algorithm>

#include "tests/plan/plan_cases.hpp"

namespace railgauge {
namespace {

using namespace test;
using namespace plan_cases;

// An Exchange whose transfers are in the stream of a Compute: round r copies cell r to cell r + 1.
class StreamExchange final : public Exchange {
 public:
  StreamExchange(Compute& compute, std::vector<std::uint32_t>& cells) : compute_(compute), cells_(cells) {}
  void post(std::size_t round) override {
    compute_.copy(std::as_bytes(std::span(cells_).subspan(round, 1)),
                  std::as_writable_bytes(std::span(cells_).subspan(round + 1, 1)));
  }
  bool test(std::size_t) override { return true; }

 private:
  Compute& compute_;
  std::vector<std::uint32_t>& cells_;
};

TEST_CASE("in a stream everything is begun without waiting and done in order") {
  LateCompute compute(make_host_device()->compute(Type::uint32, Op::sum));
  const auto rounds = GENERATE(std::size_t{0}, std::size_t{5}, std::size_t{1000});
  std::vector<std::uint32_t> cells(rounds + 1, 0xa5a5a5a5U);
  const std::vector<std::uint32_t> one{1};
  PlannedLane lane;
  lane.exchange = std::make_unique<StreamExchange>(compute, cells);
  for (std::size_t round = 0; round < rounds; ++round) {  // each cell becomes one more than what it was sent
    const Bytes cell = std::as_writable_bytes(std::span(cells).subspan(round + 1, 1));
    lane.works.push_back({true, {cell, std::as_bytes(std::span(one))}, {cell}, {}, 1});
    lane.ends.push_back(lane.works.size());
  }
  std::vector<PlannedLane> lanes;
  lanes.push_back(std::move(lane));
  const bool replayed = GENERATE(false, true);
  std::unique_ptr<Runnable> made = std::make_unique<StreamPlan>(std::move(lanes), compute);
  if (replayed) made = make_graph_plan(std::move(made), compute);
  Runnable& plan = *made;
  for (std::uint32_t run = 1; run <= 3; ++run) {
    cells.assign(rounds + 1, 0xa5a5a5a5U);
    cells[0] = run;
    const std::uint64_t begun = compute.mark();
    plan.start();
    if (rounds < 100) CHECK((rounds == 0 || cells[1] == 0xa5a5a5a5U));  // nothing was done yet
    if (replayed)
      CHECK(compute.mark() - begun == 2 * rounds);
    else
      CHECK(compute.mark() - begun <= 256 + 2);  // nor was more put into it than it holds
    std::size_t looks = 0;
    while (!plan.test()) ++looks;
    CHECK(looks + 2 >= 2 * rounds);
    CHECK(cells.back() == run + rounds);
  }
}

// An Exchange that puts several operations into the stream for each round; `most` were in it at a time.
class BusyExchange final : public Exchange {
 public:
  BusyExchange(LateStream& stream, std::size_t each, std::size_t& most) : stream_(stream), each_(each), most_(most) {}
  void post(std::size_t) override {
    for (std::size_t i = 0; i != each_; ++i)
      stream_.push([this] {
        --in_flight_;
        return true;
      });
    in_flight_ += each_;
    most_ = std::max(most_, in_flight_);
  }
  bool test(std::size_t) override { return true; }
  [[nodiscard]] std::size_t operations(std::size_t) const override { return each_; }

 private:
  LateStream& stream_;
  std::size_t each_, in_flight_ = 0;
  std::size_t& most_;
};

// 256 posts of a direct all_to_all, seven calls a peer, overfilled a queue of 1,024: a wait for a dead rank then kept the caller.
TEST_CASE("a stream never holds more than it takes, however many operations a round is") {
  struct Shape {
    std::size_t rounds, each, most;
  };
  const auto shape = GENERATE(Shape{300, 14, 256}, Shape{300, 100, 200}, Shape{5, 500, 500}, Shape{300, 1, 256});
  LateCompute compute(make_host_device()->compute(Type::uint32, Op::sum));
  std::size_t most = 0;
  std::vector<PlannedLane> lanes(1);
  lanes[0].exchange = std::make_unique<BusyExchange>(*static_cast<LateStream*>(compute.stream()), shape.each, most);
  lanes[0].ends.assign(shape.rounds, 0);
  StreamPlan plan(std::move(lanes), compute);
  CHECK(plan.room() >= std::min(shape.rounds * shape.each, shape.most));
  plan.start();
  while (!plan.test()) continue;
  CHECK(most <= shape.most);
  CHECK(most >= shape.most / 2);
}

// Lanes in streams of their own, on the CPU.
struct LateQueues final : Queues {
  void* stream_of(std::size_t lane) override { return streams.at(lane).get(); }
  std::unique_ptr<Compute> compute_in(std::size_t lane, Type type, Op op) override {
    auto made = std::make_unique<LateCompute>(make_host_device()->compute(type, op), streams.at(lane));
    made->streams = [this] { return streams.all(); };
    return made;
  }
  void fork(std::size_t lane) override { streams.fork(lane); }
  void join(std::size_t lane) override { streams.join(lane); }
  bool idle() noexcept override { return streams.idle(); }
  LateStreams streams;
};

// An Exchange in a stream, whose round is over when that of the other lane has begun: `begun` counts the rounds of each.
class MeetingExchange final : public Exchange {
 public:
  MeetingExchange(LateStream& stream, std::vector<std::size_t>& begun, std::size_t lane)
      : stream_(stream), begun_(begun), lane_(lane) {}
  void post(std::size_t) override {
    stream_.push([&all = begun_, lane = lane_, begun = false, number = std::size_t{0}]() mutable {
      if (!begun) number = ++all[lane];
      begun = true;
      return all[1 - lane] >= number;
    });
  }
  bool test(std::size_t) override { return true; }

 private:
  LateStream& stream_;
  std::vector<std::size_t>& begun_;
  std::size_t lane_;
};

TEST_CASE("lanes with streams of their own run beside each other, between what is before and behind them") {
  const bool replayed = GENERATE(false, true);
  const auto rounds = GENERATE(std::size_t{1}, std::size_t{40}, std::size_t{1000});
  LateQueues queues;
  LaneQueues of_lanes{&queues, {}};
  const auto compute = queues.compute_in(0, Type::uint32, Op::sum);
  of_lanes.computes.push_back(queues.compute_in(1, Type::uint32, Op::sum));
  std::vector<std::size_t> begun(2);
  std::uint32_t before = 0, behind = 0;
  std::vector<std::uint32_t> results(2);
  std::vector<PlannedLane> lanes;
  for (std::size_t lane = 0; lane < 2; ++lane) {  // each ends by copying what was there before them
    PlannedLane one;
    one.exchange = std::make_unique<MeetingExchange>(*queues.streams.at(lane), begun, lane);
    one.works.push_back(
        {false, {std::as_bytes(std::span(&before, 1))}, {std::as_writable_bytes(std::span(results).subspan(lane, 1))}, {}, 1});
    one.ends.assign(rounds - 1, 0);
    one.ends.push_back(1);
    lanes.push_back(std::move(one));
  }
  std::unique_ptr<Runnable> plan = std::make_unique<StreamPlan>(std::move(lanes), *compute, &of_lanes);
  if (replayed) plan = make_graph_plan(std::move(plan), *compute);
  for (std::uint32_t run = 1; run <= 3; ++run) {
    const std::uint32_t value = run;
    behind = 0;
    compute->copy(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(&before, 1)));
    plan->start();
    const bool all_is_in = replayed || rounds < 100;
    if (all_is_in) compute->copy(std::as_bytes(std::span(results).subspan(1, 1)), std::as_writable_bytes(std::span(&behind, 1)));
    std::size_t looks = 0;
    while (!plan->test() && looks < 20 * rounds + 100) ++looks;
    REQUIRE(plan->test());  // lanes one after the other would wait for ever
    CHECK(results == std::vector{run, run});
    CHECK(begun == std::vector(2, run * rounds));
    if (all_is_in) {
      const std::uint64_t end = compute->mark();
      while (!compute->reached(end)) CHECK(++looks < 20 * rounds + 200);
      CHECK(behind == run);
    }
  }
}

TEST_CASE("lanes without streams of their own go one after the other") {
  LateCompute compute(make_host_device()->compute(Type::uint32, Op::sum));
  auto* const stream = static_cast<LateStream*>(compute.stream());
  std::vector<std::size_t> begun(2);
  std::vector<PlannedLane> lanes(2);
  for (std::size_t lane = 0; lane < 2; ++lane) {
    lanes[lane].exchange = std::make_unique<MeetingExchange>(*stream, begun, lane);
    lanes[lane].ends.assign(3, 0);
  }
  StreamPlan plan(std::move(lanes), compute);
  plan.start();
  for (int looks = 0; looks < 100; ++looks) REQUIRE_FALSE(plan.test());
  CHECK(begun == std::vector<std::size_t>{1, 0});  // and so these two wait for each other
}

TEST_CASE("what does not work in a stream alone, or on a device without recordings, is not replayed") {
  const auto host = make_host_device()->compute(Type::uint32, Op::sum);
  CHECK_THROWS_WITH(make_graph_plan(std::make_unique<StreamPlan>(std::vector<PlannedLane>(), *host), *host),
                    ContainsSubstring("this device cannot note"));
  CHECK_THROWS_WITH(make_graph_plan(std::make_unique<Plan>(std::vector<PlannedLane>(), *host, Order::host), *host),
                    ContainsSubstring("does not work in a device's stream alone"));
}

// A plan whose device gives up, which the host sees when the stream is at its end.
class GivesUp final : public Runnable, public Recordable {
 public:
  explicit GivesUp(LateStream& stream) : stream_(stream) {}
  void start() override {}
  bool test() override { return true; }
  void put_all() override {
    stream_.push([this] { return gave_up_ = true; });
  }
  bool begin() override { return true; }
  void look() override {
    if (gave_up_ && stream_.empty() && ++looks_ > 1) throw Error(Fault::lost, "it was given up");
  }

 private:
  LateStream& stream_;
  bool gave_up_ = false;
  int looks_ = 0;
};

TEST_CASE("a replayed plan that was given up is not taken for one that is done") {
  LateCompute compute(make_host_device()->compute(Type::uint32, Op::sum));
  const auto plan = make_graph_plan(std::make_unique<GivesUp>(*static_cast<LateStream*>(compute.stream())), compute);
  plan->start();
  CHECK_FALSE(plan->test());
  CHECK_THROWS_WITH(plan->test(), "it was given up");
}

TEST_CASE("lanes are independent") {
  for (const bool mapped : {false, true})
    for (const int ranks : {2, 3, 4, 6}) run_all(ranks, trials_for(ranks, mapped, {1, 7, 129}, 3));
}

TEST_CASE("premulsum multiplies once and avg divides once") {
  for (const int ranks : {1, 2, 3, 4, 5, 8}) {
    std::vector<Trial> trials;
    for (const bool mapped : {false, true})
      for (const Op op : {Op::premulsum, Op::avg, Op::max, Op::min, Op::prod})
        for (Trial trial : trials_for(ranks, mapped, {37}, 1)) {
          if (trial.spec.op == Op::none) continue;
          trial.spec.op = op;
          trials.push_back(trial);
        }
    run_all(ranks, trials);
  }
}

}  // namespace
}  // namespace railgauge

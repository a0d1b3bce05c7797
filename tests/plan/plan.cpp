// Every algorithm of the catalog, run by the executor and over mapped peers, on transports that threads can use, with random
// data.
#include "tests/test.hpp"

#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/plan/stream_plan.hpp"
#include "tests/plan/late_compute.hpp"
#include "tests/plan/reference.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {
namespace {

using namespace test;

constexpr Seconds deadline{20};

struct Trial {
  CollectiveSpec spec;
  bool mapped = false;
  bool shares_cores = false;
  bool late = false;    // what is computed goes on after the call, as on a GPU
  bool staged = false;  // the transport cannot reach the buffers
  std::uint64_t seed = 1;
};

std::string describe(const Trial& trial) {
  const CollectiveSpec& spec = trial.spec;
  return std::string(name(spec.algorithm->collective)) + " " + std::string(spec.algorithm->name) + " ranks " +
         std::to_string(spec.shape.ranks) + " elements " + std::to_string(spec.elements) + " op " + std::string(name(spec.op)) +
         " root " + std::to_string(spec.shape.root) + " lanes " + std::to_string(spec.lanes) +
         (spec.in_place ? " in place" : " apart") + (trial.mapped ? " mapped" : " exchange") +
         (trial.shares_cores ? ", cores shared" : "") + (trial.late ? ", late" : "") + (trial.staged ? ", staged" : "") +
         " seed " + std::to_string(trial.seed);
}

void wait_for(Runnable& runnable, const Group& group, const Trial& trial) {
  const auto begin = std::chrono::steady_clock::now();
  runnable.start();
  for (int spins = 0; !runnable.test(); ++spins)
    if (spins % 64 == 63) {
      group.check();
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() - begin > deadline) throw Error(Fault::lost, "stuck: " + describe(trial));
    }
}

// Runs the trials one after the other on one connected endpoint of this rank, each three times over two buffer sets: several
// times in a row without a barrier where that gives the same.
void run_rank(Group& group, const std::string& name, const std::vector<Trial>& trials, std::vector<std::string>& mistakes,
              std::mutex& mutex) {
  const std::vector<KnownTransport> known = known_transports({});
  const auto transport = find_transport(known, name).table->open({});
  const auto device = make_host_device();
  constexpr std::size_t most_lanes = 3;
  Place place;
  place.lanes.resize(most_lanes);
  const auto endpoint = transport->connect(group, place);
  const Memory memory =
      device->allocate(std::size_t{16} << 20, transport->abilities().shares ? Sharing::processes : Sharing::own);
  endpoint->attach(memory.region());
  MappedSequence sequence(most_lanes, static_cast<std::size_t>(group.size()));
  for (const Trial& trial : trials) {
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = group.rank();
    Parts parts(spec);
    sequence.share_cores(trial.shares_cores);
    std::unique_ptr<Compute> compute = device->compute(spec.type, spec.op);
    if (trial.late) compute = std::make_unique<LateCompute>(std::move(compute));
    const std::size_t set_bytes = parts.mine().set_bytes(spec.type);
    // Catch2's assertions belong to one thread; this is one of several.
    if (2 * set_bytes > memory.region().bytes) throw std::length_error("the region is too small for " + describe(trial));
    std::vector<std::byte> unreachable(trial.staged ? 2 * set_bytes : 0);
    std::byte* const buffers = trial.staged ? unreachable.data() : memory.region().address;
    std::vector<std::unique_ptr<Runnable>> sets;
    for (std::size_t set = 0; set < 2; ++set) {
      DataPath data_path;
      if (trial.staged) data_path.mirror = memory.region().address + set * set_bytes;
      sets.push_back(trial.mapped ? make_mapped_plan(parts, *endpoint, *compute, sequence, 0, set)
                                  : make_plan(parts, *endpoint, *compute, buffers + set * set_bytes, data_path));
    }
    const Layout& layout = parts.mine().layout;
    for (std::uint64_t run = 0; run < 3; ++run) {
      const auto element = [&](std::size_t set, std::size_t index) {
        return buffers + set * set_bytes + index * sizeof(std::uint32_t);
      };
      for (std::size_t set = 0; set < 2; ++set) {
        std::memset(element(set, 0), 0xa5, set_bytes);
        const Values input = input_of(spec, trial.seed + run * 2 + set, group.rank(), layout.sizes());
        if (layout.sizes().has_input && !input.empty())
          std::memcpy(element(set, layout.input().begin), input.data(), input.size() * sizeof(std::uint32_t));
      }
      // What was not copied into the mirror is wrong.
      if (trial.staged) std::memset(memory.region().address, 0x5a, 2 * set_bytes);
      group.barrier();
      for (int repetition = 0; repetition < (spec.in_place ? 1 : 4); ++repetition)
        for (const auto& plan : sets) wait_for(*plan, group, trial);
      group.barrier();
      for (std::size_t set = 0; set < 2; ++set) {
        const Values expected = expected_output(spec, trial.seed + run * 2 + set, parts.mine().schedule.blocks);
        if (!expected.empty() && std::memcmp(element(set, layout.output().begin), expected.data(), expected.size() * 4) != 0) {
          const std::scoped_lock lock(mutex);
          mistakes.push_back("rank " + std::to_string(group.rank()) + " run " + std::to_string(run) + ": " + describe(trial));
        }
      }
      group.barrier();
    }
  }
}

void run_all(int ranks, const std::vector<Trial>& trials, const std::string& transport = "memory") {
  std::vector<std::string> mistakes;
  std::mutex mutex;
  const auto errors = run_as_threads(ranks, deadline, [&](Group& group) { run_rank(group, transport, trials, mistakes, mutex); });
  for (std::size_t rank = 0; rank < errors.size(); ++rank) {
    if (!errors[rank]) continue;
    try {
      std::rethrow_exception(errors[rank]);
    } catch (const std::exception& error) { mistakes.push_back("rank " + std::to_string(rank) + " threw: " + error.what()); }
  }
  std::string text;
  for (const std::string& mistake : mistakes) text += mistake + "\n";
  INFO(text);
  CHECK(mistakes.empty());
}

std::vector<Trial> trials_for(int ranks, bool mapped, const std::vector<std::uint64_t>& sizes, std::size_t lanes) {
  std::vector<Trial> trials;
  std::uint64_t seed = static_cast<std::uint64_t>(ranks) * 1000;
  for (const Algorithm& algorithm : catalog()) {
    for (const int ranks_per_node : {1, 2, 3}) {
      Shape shape{ranks, 0, ranks > 1 ? ranks / 2 : 0, ranks_per_node};
      if (ranks_per_node != 1 && algorithm.name != "hierarchical") continue;
      if (!algorithm.refusal(shape).empty()) continue;
      for (const std::uint64_t elements : sizes)
        for (const bool in_place : {false, true}) {
          if (in_place && !algorithm.in_place) continue;
          Trial trial;
          trial.mapped = mapped;
          trial.seed = seed++;
          trial.shares_cores = std::popcount(trial.seed) % 2 == 1;  // evenly, beside all that alternates
          trial.spec.algorithm = &algorithm;
          trial.spec.type = Type::uint32;
          trial.spec.op = row(algorithm.collective).reduces ? Op::sum : Op::none;
          trial.spec.shape = shape;
          const auto parts = static_cast<std::uint64_t>(ranks);
          const std::uint64_t whole = algorithm.equal_blocks ? (elements + parts - 1) / parts * parts : elements;
          trial.spec.elements = used_elements(algorithm.collective, ranks, whole);
          trial.spec.lanes = lanes;
          trial.spec.in_place = in_place;
          trials.push_back(trial);
        }
    }
  }
  return trials;
}

// Races show at any count: the thread sanitizer, which makes all of it twenty times as slow, is spared most of them.
#ifdef __SANITIZE_THREAD__
const std::vector<int> some_ranks{1, 2, 3, 5, 8};
const std::vector<std::uint64_t> some_counts{1, 131};
#else
const std::vector<int> some_ranks{1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<std::uint64_t> some_counts{0, 1, 5, 37, 128, 1031};
#endif

TEST_CASE("every algorithm is right when run by transfers") {
  for (const int ranks : some_ranks) run_all(ranks, trials_for(ranks, false, some_counts, 1));
  run_all(16, trials_for(16, false, {1, 131}, 1));
}

TEST_CASE("every algorithm is right over mapped peers") {
  for (const int ranks : some_ranks) run_all(ranks, trials_for(ranks, true, some_counts, 1));
  run_all(16, trials_for(16, true, {1, 131}, 1));
}

TEST_CASE("every algorithm is right over shared memory") {
  for (const bool mapped : {false, true})
    for (const int ranks : {2, 3, 5}) run_all(ranks, trials_for(ranks, mapped, {1, 37, 1031}, mapped ? 2 : 1), "shm");
}

TEST_CASE("every algorithm is right when what it computes is done later") {
  for (const bool mapped : {false, true})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      std::vector<Trial> trials = trials_for(ranks, mapped, {1, 37, 131}, 2);
      for (Trial& trial : trials) trial.late = true;
      run_all(ranks, trials);
    }
}

TEST_CASE("every algorithm is right when its messages pass through a mirror") {
  for (const bool late : {false, true})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      std::vector<Trial> trials = trials_for(ranks, false, {1, 37, 131}, late ? 2 : 1);
      for (Trial& trial : trials) {
        trial.late = late;
        trial.staged = true;
      }
      run_all(ranks, trials);
    }
}

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

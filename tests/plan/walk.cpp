// The kernel's own walk through the steps of mapped plans, with threads as blocks: every algorithm that can be mapped has the
// right data, in runs that follow each other without waiting, and a run ends when a peer does not come.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/plan/device_plan.hpp"
#include "tests/plan/drawn_blocks.hpp"
#include "tests/plan/host_blocks.hpp"
#include "tests/plan/late_compute.hpp"
#include "tests/plan/reference.hpp"
#include "tests/test.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {
namespace {

using namespace test;

constexpr Seconds deadline{40};

struct Trial {
  CollectiveSpec spec;
  BlockShape shape;
  bool carries_more = false;
  std::uint64_t seed = 1;
};

std::string describe(const Trial& trial) {
  const CollectiveSpec& spec = trial.spec;
  return std::string(name(spec.algorithm->collective)) + " " + std::string(spec.algorithm->name) + " ranks " +
         std::to_string(spec.shape.ranks) + " elements " + std::to_string(spec.elements) + " op " + std::string(name(spec.op)) +
         " root " + std::to_string(spec.shape.root) + " lanes " + std::to_string(spec.lanes) +
         (spec.in_place ? " in place" : " apart") + (trial.carries_more ? ", carries more" : "") + ", " +
         std::to_string(trial.shape.blocks) + " blocks of " + std::to_string(trial.shape.threads) + " threads, seed " +
         std::to_string(trial.seed);
}

// The memory transport's mapping, as if it were memory of a device.
class OnDevice final : public Endpoint {
 public:
  explicit OnDevice(std::unique_ptr<Endpoint> inner) : inner_(std::move(inner)) {}
  void attach(const Region& region) override {
    inner_->attach(region);
    mapping_ = *inner_->mapping();
    mapping_.on_device = true;
  }
  std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override {
    return inner_->prepare(lane, std::move(rounds));
  }
  const Mapping* mapping() const override { return &mapping_; }

 private:
  std::unique_ptr<Endpoint> inner_;
  Mapping mapping_;
};

// A device whose stream runs steps by blocks of threads.
class BlockCompute final : public Compute {
 public:
  BlockCompute(Type type, Op op, const BlockShape& shape) : type_(type), op_(op), shape_(shape) {}
  void copy(ConstBytes from, Bytes to) override { host_->copy(from, to); }
  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    host_->reduce(sources, targets, scale);
  }
  [[nodiscard]] void* stream() const override { return stream_.get(); }
  [[nodiscard]] std::uint64_t mark() override { return stream_->mark(); }
  [[nodiscard]] bool reached(std::uint64_t mark) override { return stream_->reached(mark); }
  [[nodiscard]] std::unique_ptr<StepRunner> prepare_steps(const StepProgram& program) override {
    const auto steps =
        std::make_shared<HostSteps>(program, device_->compute(type_, op_), bytes_of(type_), shape_,
                                    [](const std::byte* address, std::size_t) { return const_cast<std::byte*>(address); });
    return std::make_unique<HostStepRunner>(steps, stream_);
  }

 private:
  Type type_;
  Op op_;
  BlockShape shape_;
  std::unique_ptr<Device> device_ = make_host_device();
  std::unique_ptr<Compute> host_ = device_->compute(type_, op_);
  std::shared_ptr<LateStream> stream_ = std::make_shared<LateStream>();
};

void wait_for(Runnable& runnable, const Group& group, const Trial& trial) {
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned look = 1; !runnable.test(); ++look) {
    group.check();
    rest(look);
    if (std::chrono::steady_clock::now() - begin > deadline) throw Error(Fault::lost, "stuck: " + describe(trial));
  }
}

struct Connection {
  Connection(Group& group, std::size_t lanes)
      : transport(find_transport(known_transports({}), "memory").table->open({})),
        memory(device->allocate(std::size_t{4} << 20, Sharing::own)),
        sequence(lanes, static_cast<std::size_t>(group.size())) {
    Place place;
    place.lanes.resize(lanes);
    endpoint = std::make_unique<OnDevice>(transport->connect(group, place));
    endpoint->attach(memory.region());
  }
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Device> device = make_host_device();
  Memory memory;
  std::unique_ptr<Endpoint> endpoint;
  MappedSequence sequence;
};

constexpr std::size_t most_lanes = 3;

// Runs the trials one after the other on one endpoint: each twice over two buffer sets, whose runs are in the stream together.
void run_rank(Group& group, const std::vector<Trial>& trials, std::vector<std::string>& mistakes, std::mutex& mutex) {
  Connection connection(group, most_lanes);
  std::byte* const buffers = connection.memory.region().address;
  for (const Trial& trial : trials) {
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = group.rank();
    Parts parts(spec);
    connection.sequence.share_cores(trial.carries_more);
    BlockShape shape = trial.shape;
    shape.seed = trial.seed * 64 + static_cast<std::uint64_t>(group.rank());
    BlockCompute compute(spec.type, spec.op, shape);
    const std::size_t set_bytes = parts.mine().set_bytes(spec.type);
    if (2 * set_bytes > connection.memory.region().bytes)
      throw std::length_error("the region is too small for " + describe(trial));
    std::vector<std::unique_ptr<Runnable>> sets;
    for (std::size_t set = 0; set < 2; ++set)
      sets.push_back(make_mapped_plan(parts, *connection.endpoint, compute, connection.sequence, 0, set));
    const Layout& layout = parts.mine().layout;
    const auto element = [&](std::size_t set, std::size_t index) {
      return buffers + set * set_bytes + index * sizeof(std::uint32_t);
    };
    for (std::uint64_t run = 0; run < 2; ++run) {
      for (std::size_t set = 0; set < 2; ++set) {
        std::memset(element(set, 0), 0xa5, set_bytes);
        const Values input = input_of(spec, trial.seed + run * 2 + set, group.rank(), layout.sizes());
        if (layout.sizes().has_input && !input.empty())
          std::memcpy(element(set, layout.input().begin), input.data(), input.size() * sizeof(std::uint32_t));
      }
      group.barrier();
      for (int repetition = 0; repetition < (spec.in_place ? 1 : 3); ++repetition)
        for (const auto& plan : sets) plan->start();
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

void run_all(int ranks, const std::vector<Trial>& trials) {
  std::vector<std::string> mistakes;
  std::mutex mutex;
  const auto errors = run_as_threads(ranks, deadline, [&](Group& group) { run_rank(group, trials, mistakes, mutex); });
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

std::vector<Trial> trials_for(int ranks, const std::vector<std::uint64_t>& sizes, std::size_t lanes, const std::vector<Op>& ops) {
  constexpr BlockShape shapes[] = {{1, 1}, {3, 1}, {2, 2}, {1, 3}, {4, 1}};
  std::vector<Trial> trials;
  std::uint64_t seed = static_cast<std::uint64_t>(ranks) * 1000 + lanes;
  for (const Algorithm& algorithm : catalog()) {
    Shape shape{ranks, 0, ranks > 1 ? ranks / 2 : 0, algorithm.name == "hierarchical" ? 2 : 1};
    if (!algorithm.refusal(shape).empty()) continue;
    for (const Op op : ops)
      for (const std::uint64_t elements : sizes)
        for (const bool in_place : {false, true}) {
          if (in_place && !algorithm.in_place) continue;
          if (op != Op::sum && !row(algorithm.collective).reduces) continue;
          Trial trial;
          trial.seed = seed++;
          trial.shape = shapes[(trial.seed * 2654435761U >> 7) % std::size(shapes)];
          trial.carries_more = std::popcount(trial.seed) % 2 == 1;
          trial.spec.algorithm = &algorithm;
          trial.spec.type = Type::uint32;
          trial.spec.op = row(algorithm.collective).reduces ? op : Op::none;
          trial.spec.shape = shape;
          const auto parts = static_cast<std::uint64_t>(ranks);
          const std::uint64_t whole = algorithm.equal_blocks ? (elements + parts - 1) / parts * parts : elements;
          trial.spec.elements = used_elements(algorithm.collective, ranks, whole);
          trial.spec.lanes = lanes;
          trial.spec.in_place = in_place;
          trials.push_back(trial);
        }
  }
  return trials;
}

TEST_CASE("walk: threads as blocks give the right data") {
  for (const int ranks : {2, 3}) run_all(ranks, trials_for(ranks, {1031}, ranks == 2 ? 2 : 1, {Op::sum}));
}

// The endpoint, and the device, of all ranks in one thread.
class SeenByAll final : public Endpoint {
 public:
  SeenByAll(std::vector<std::vector<std::atomic<std::uint64_t>>>& flags, std::vector<std::vector<std::byte>>& memory) {
    for (auto& table : flags) mapping_.flags.push_back(table.data());
    for (auto& bytes : memory) mapping_.regions.push_back({bytes.data()});
    mapping_.flag_count = flags.front().size();
    mapping_.on_device = true;
  }
  void attach(const Region&) override {}
  std::unique_ptr<Exchange> prepare(std::size_t, std::vector<std::vector<Message>>) override { return nullptr; }
  const Mapping* mapping() const override { return &mapping_; }

 private:
  Mapping mapping_;
};
class Nothing final : public StepRunner {
 public:
  void enqueue() override {}
  void check() override {}
};
// Keeps the programs that it is given.
std::unique_ptr<LateCompute> collecting(const CollectiveSpec& spec, std::vector<StepProgram>& programs) {
  auto made = std::make_unique<LateCompute>(make_host_device()->compute(spec.type, spec.op));
  made->steps = [&programs](const StepProgram& program) {
    programs.push_back(program);
    return std::make_unique<Nothing>();
  };
  return made;
}

struct Ranks {
  explicit Ranks(int count) : memory(static_cast<std::size_t>(count), std::vector<std::byte>(std::size_t{1} << 20)) {
    for (std::size_t rank = 0; rank < memory.size(); ++rank) {
      flags.emplace_back(flags_needed(most_lanes, memory.size()));
      sequences.emplace_back(most_lanes, memory.size());
    }
  }
  std::vector<std::vector<std::atomic<std::uint64_t>>> flags;
  std::vector<MappedSequence> sequences;
  std::vector<std::vector<std::byte>> memory;
};

// What is wrong with this trial when the blocks of all ranks go on in a drawn order; empty when nothing is. Runs of two buffer
// sets follow each other in each rank as in a stream. Without `joins` blocks never wait for those of their lane but at the end.
std::string run_drawn(const Trial& trial, Ranks& ranks, bool joins) {
  constexpr std::size_t sets = 2;
  const std::size_t count = ranks.memory.size(), runs = sets * (trial.spec.in_place ? 1 : 3);
  SeenByAll endpoint(ranks.flags, ranks.memory);
  Coroutines turns(static_cast<std::uint32_t>(trial.seed));
  const auto device = make_host_device();
  const auto compute = device->compute(trial.spec.type, trial.spec.op);
  std::vector<std::unique_ptr<Parts>> parts;
  std::vector<std::vector<StepProgram>> programs(count);
  std::vector<std::vector<std::unique_ptr<DrawnProgram>>> drawn(count);
  std::vector<std::vector<std::size_t>> over(count, std::vector<std::size_t>(runs));
  const auto buffers = [&](std::size_t rank, std::size_t set) {
    return ranks.memory[rank].data() + set * parts[rank]->mine().set_bytes(trial.spec.type);
  };
  for (std::size_t rank = 0; rank < count; ++rank) {
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = static_cast<std::int32_t>(rank);
    parts.push_back(std::make_unique<Parts>(spec));
    ranks.sequences[rank].share_cores(trial.carries_more);
    const auto collector = collecting(spec, programs[rank]);
    const Layout& layout = parts[rank]->mine().layout;
    for (std::size_t set = 0; set < sets; ++set) {
      (void)make_mapped_plan(*parts[rank], endpoint, *collector, ranks.sequences[rank], 0, set);
      std::memset(buffers(rank, set), 0xa5, parts[rank]->mine().set_bytes(spec.type));
      const Values input = input_of(spec, trial.seed + set, spec.shape.rank, layout.sizes());
      if (layout.sizes().has_input && !input.empty())
        std::memcpy(buffers(rank, set) + layout.input().begin * sizeof(std::uint32_t), input.data(),
                    input.size() * sizeof(std::uint32_t));
    }
    for (StepProgram& program : programs[rank]) {
      for (LaneSteps& lane : program.lanes)
        for (DeviceStep& step : lane.steps) step.joins = step.joins && joins;
      drawn[rank].push_back(std::make_unique<DrawnProgram>(program, *compute, bytes_of(spec.type), trial.shape, turns));
    }
    const std::size_t threads = spec.lanes * trial.shape.blocks * trial.shape.threads;
    for (std::size_t lane = 0; lane < spec.lanes; ++lane)
      for (unsigned block = 0; block < trial.shape.blocks; ++block)
        for (unsigned thread = 0; thread < trial.shape.threads; ++thread)
          turns.add([&, rank, lane, block, thread, threads] {
            for (std::size_t run = 0; run < runs; ++run) {
              drawn[rank][run % sets]->walk(lane, block, thread);
              ++over[rank][run];
              ++turns.progress;
              while (over[rank][run] != threads && !turns.stuck) turns.pause();  // the next kernel begins behind this one
            }
          });
  }
  if (!turns.run()) return "stuck: " + describe(trial) + "\n";
  for (std::size_t rank = 0; rank < count; ++rank)
    for (std::size_t set = 0; set < sets; ++set) {
      const Values expected = expected_output(parts[rank]->spec(), trial.seed + set, parts[rank]->mine().schedule.blocks);
      if (!expected.empty() && std::memcmp(buffers(rank, set) + parts[rank]->mine().layout.output().begin * sizeof(std::uint32_t),
                                           expected.data(), expected.size() * sizeof(std::uint32_t)) != 0)
        return "wrong data at rank " + std::to_string(rank) + ": " + describe(trial) + "\n";
    }
  return {};
}

std::string run_all_drawn(int ranks, const std::vector<Trial>& trials, bool joins = true) {
  Ranks all(ranks);
  std::string mistakes;
  for (const Trial& trial : trials) {
    mistakes += run_drawn(trial, all, joins);
    if (mistakes.find("stuck") != std::string::npos) break;  // its counts are of no use any more
  }
  return mistakes;
}

// Coroutines change stacks, which the thread sanitizer does not follow; nothing in them races.
#ifndef __SANITIZE_THREAD__
TEST_CASE("walk: every algorithm is right in whatever order blocks go on") {
  for (int ranks = 1; ranks <= 9; ++ranks)
    CHECK(run_all_drawn(ranks, trials_for(ranks, {0, 1, 37, 700, 1500}, 1, {Op::sum})).empty());
}

TEST_CASE("walk: lanes are independent") {
  for (const int ranks : {2, 3, 4, 6}) CHECK(run_all_drawn(ranks, trials_for(ranks, {7, 1031}, most_lanes, {Op::sum})).empty());
}

TEST_CASE("walk: premulsum multiplies once and avg divides once") {
  for (const int ranks : {1, 2, 3, 4, 5, 8})
    CHECK(run_all_drawn(ranks, trials_for(ranks, {37, 700}, 1, {Op::premulsum, Op::avg, Op::max, Op::min, Op::prod})).empty());
}

TEST_CASE("walk: without joins the data is wrong") {
  CHECK(!run_all_drawn(3, trials_for(3, {37, 700}, 1, {Op::sum}), false).empty());
}
#endif

Trial all_reduce(std::string_view algorithm, int ranks, std::uint64_t elements) {
  Trial trial;
  trial.spec.algorithm = find_algorithm(Collective::all_reduce, algorithm);
  trial.spec.type = Type::uint32;
  trial.spec.op = Op::sum;
  trial.spec.shape = {ranks, 0, 0, 1};
  trial.spec.elements = elements;
  return trial;
}

// What the others say when rank 1 of three makes `runs` of five runs and stays away then.
std::vector<std::string> without_rank_1(const Trial& trial, int runs, bool late) {
  std::vector<std::string> said(3);
  const auto errors = run_as_threads(3, deadline, [&](Group& group) {
    Connection connection(group, 1);
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = group.rank();
    Parts parts(spec);
    BlockShape shape = trial.shape;
    if (late) shape.patience = std::chrono::milliseconds(300);
    BlockCompute compute(spec.type, spec.op, shape);
    {
      const auto plan = make_mapped_plan(parts, *connection.endpoint, compute, connection.sequence, 0, 0);
      group.barrier();
      for (int run = 0; run < (group.rank() == 1 ? runs : 5); ++run) plan->start();
      const auto begin = std::chrono::steady_clock::now();
      try {
        while (!plan->test()) {
          std::this_thread::yield();
          // Without a deadline of its own the run is ended by its plan's end.
          if (!late && std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(200)) break;
        }
      } catch (const Error& error) { said[static_cast<std::size_t>(group.rank())] = error.what(); }
    }
    group.barrier();
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return said;
}

TEST_CASE("walk: a wait for a rank that does not come ends at its deadline and names the rank") {
  for (const std::uint64_t elements : {std::uint64_t{5}, std::uint64_t{3000}})
    for (const int runs : {0, 2}) {
      Trial trial = all_reduce("ring", 3, elements);
      trial.shape = {2, 2};
      const std::vector<std::string> said = without_rank_1(trial, runs, true);
      INFO(elements << " elements, " << runs << " runs: " << said[0] << " / " << said[2]);
      CHECK(said[1].empty());
      // Each waits for the other two: at least for rank 1, or for one that waits for it.
      CHECK_THAT(said[0] + said[2], ContainsSubstring("rank 1) for more than 0.3 s"));
      for (const std::size_t rank : {std::size_t{0}, std::size_t{2}}) CHECK_THAT(said[rank], ContainsSubstring("in lane 0 the "));
    }
}

TEST_CASE("walk: a run behind one that gave up does not send again what the peer may be reading") {
  for (const unsigned threads : {1U, 2U}) {
    std::vector<std::atomic<std::uint64_t>> flags(2 * flags_a_pair(2));
    Mapping mapping;
    mapping.flags = {flags.data(), flags.data()};
    mapping.flag_count = flags.size();
    std::uint64_t message = 11;
    MappedLane lane;
    lane.sends = lane.receives = {0, 1};
    MappedStep put;
    put.kind = StepKind::put;
    put.peer = 1;
    put.ordinal = 1;
    put.source = reinterpret_cast<const std::byte*>(&message);
    put.bytes = sizeof message;
    MappedStep take = put;
    take.kind = StepKind::take;
    take.source = nullptr;
    std::uint64_t received = 0;
    take.target = reinterpret_cast<std::byte*>(&received);
    lane.steps = {put, take};
    const BlockShape shape{1, threads, 1, std::chrono::milliseconds(5)};
    HostSteps steps(resolve_steps({lane}, mapping, 0, MappedSequence(1, 2)), nullptr, 1, shape,
                    [](const std::byte* address, std::size_t) { return const_cast<std::byte*>(address); });
    const auto times_sent = [&](std::uint64_t sent) { return std::count(flags.begin(), flags.end(), sent); };
    while (!steps.advance()) std::this_thread::yield();
    CHECK_THROWS_AS(steps.check(), Error);
    CHECK(times_sent(11) == 1);
    message = 12;
    while (!steps.advance()) std::this_thread::yield();
    CHECK(times_sent(11) == 1);
    CHECK(times_sent(12) == 0);
  }
}

TEST_CASE("walk: the end of a plan ends its runs") {
  for (const std::uint64_t elements : {std::uint64_t{5}, std::uint64_t{3000}}) {
    Trial trial = all_reduce("one_shot", 3, elements);
    trial.shape = {3, 1};
    CHECK(without_rank_1(trial, 1, false) == std::vector<std::string>(3));  // they come back
  }
}

TEST_CASE("walk: what a runner says names lane, message, rank and time") {
  CHECK(sentence_of({GivenUp::Why::late, StepKind::take, 2, 5, 3}, 60) ==
        "in lane 2 the device waited for a message (number 3 of this run, rank 5) for more than 60 s");
  CHECK(sentence_of({GivenUp::Why::told, StepKind::await_taken, 0, 1, 1}, 60) ==
        "in lane 0 the device waited for word that a message was taken (number 1 of this run, rank 1) when the run was ended");
  CHECK(sentence_of({GivenUp::Why::late, StepKind::work, 1, 0, 0}, 5) ==
        "in lane 1 the blocks of the device waited for each other for more than 5 s");
}

// Two works of which the second reads or writes what the first one wrote or read: only then blocks join between them.
std::vector<bool> joins_of(const std::vector<Work>& works) {
  std::vector<std::atomic<std::uint64_t>> flags(2 * flags_a_pair(2));
  Mapping mapping;
  mapping.flags = {flags.data(), flags.data()};
  mapping.flag_count = flags.size();
  MappedLane lane;
  lane.sends = lane.receives = {0, 0};
  lane.works = works;
  for (std::size_t i = 0; i < works.size(); ++i) {
    MappedStep step;
    step.work = i;
    lane.steps.push_back(step);
  }
  MappedStep told;
  told.kind = StepKind::set_taken;
  told.peer = 1;
  lane.steps.push_back(told);
  const StepProgram program = resolve_steps({lane}, mapping, 0, MappedSequence(1, 2));
  std::vector<bool> joins;
  for (const DeviceStep& step : program.lanes[0].steps) joins.push_back(step.joins);
  return joins;
}

TEST_CASE("walk: blocks join where one may need what another did") {
  std::vector<std::byte> memory(100);
  const auto part = [&](std::size_t begin, std::size_t size) { return Bytes(memory).subspan(begin, size); };
  const auto work = [&](Bytes source, Bytes target) { return Work{false, {source}, {target}, {}, 1}; };
  using Joins = std::vector<bool>;
  CHECK(joins_of({work(part(0, 10), part(10, 10)), work(part(20, 10), part(30, 10))}) == Joins{false, false, true});
  CHECK(joins_of({work(part(0, 10), part(10, 10)), work(part(19, 10), part(30, 10))}) == Joins{false, true, true});
  CHECK(joins_of({work(part(0, 10), part(10, 10)), work(part(20, 10), part(9, 1))}) == Joins{false, true, true});
  CHECK(joins_of({work(part(0, 10), part(10, 10)), work(part(0, 10), part(20, 10))}) == Joins{false, false, true});
  CHECK(joins_of({work(part(0, 10), part(10, 10)), work(part(50, 9), part(12, 9)), work(part(0, 9), part(20, 9))}) ==
        Joins{false, true, true, true});
}

}  // namespace
}  // namespace railgauge

#include "tests/plan/walk_cases.hpp"

namespace railgauge {
namespace {

using namespace test;
using namespace walk_cases;

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
    RankParts parts(spec);
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
    std::uint32_t message = 11;
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
    std::uint32_t received = 0;
    take.target = reinterpret_cast<std::byte*>(&received);
    lane.steps = {put, take};
    const BlockShape shape{1, threads, 1, std::chrono::milliseconds(5)};
    HostSteps steps(resolve_steps({lane}, mapping, 0, MappedSequence(1, 2)), nullptr, 1, shape,
                    [](const std::byte* address, std::size_t) { return const_cast<std::byte*>(address); });
    const auto times_sent = [&](std::uint32_t sent) {
      return std::count_if(flags.begin(), flags.end(),
                           [&](std::uint64_t word) { return word == (std::uint64_t{1} << 32 | sent); });
    };
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

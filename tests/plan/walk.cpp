// The kernel's own walk through the steps of mapped plans, with threads as blocks: every algorithm that can be mapped has the
// right data, in runs that follow each other without waiting, and a run ends when a peer does not come.
#include "tests/plan/walk_cases.hpp"
#include "tests/plan/walk_drawn.hpp"
#include "tests/thorough.hpp"

namespace railgauge {
namespace {

using namespace test;
using namespace walk_cases;

TEST_CASE("walk: threads as blocks give the right data") {
  for (const int ranks : {2, 3}) run_all(ranks, trials_for(ranks, {1031}, ranks == 2 ? 2 : 1, {Op::sum}));
}

// What is wrong with this trial when the blocks of all ranks go on in a drawn order; empty when nothing is. Runs of two buffer
// sets follow each other in each rank as in a stream. Without `joins` blocks never wait for those of their lane but at the end.
std::string run_drawn(const Trial& trial, Ranks& ranks, bool joins) {
  constexpr std::size_t sets = 2;
  const std::size_t count = ranks.memory.size(), runs = sets * (trial.spec.in_place ? 1 : 3);
  SeenByAll endpoint(ranks.flags, ranks.memory);
  Coroutines turns(static_cast<std::uint32_t>(trial.seed));
  const auto device = make_host_device();
  const auto compute = device->compute(trial.spec.type, trial.spec.op);
  std::vector<std::unique_ptr<RankParts>> parts;
  std::vector<std::vector<StepProgram>> programs(count);
  std::vector<std::vector<std::unique_ptr<DrawnProgram>>> drawn(count);
  std::vector<std::vector<std::size_t>> over(count, std::vector<std::size_t>(runs));
  const auto buffers = [&](std::size_t rank, std::size_t set) {
    return ranks.memory[rank].data() + set * parts[rank]->mine().set_bytes(trial.spec.type);
  };
  for (std::size_t rank = 0; rank < count; ++rank) {
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = static_cast<std::int32_t>(rank);
    parts.push_back(std::make_unique<RankParts>(spec));
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
      for (LaneSteps& lane : program.lanes) {
        lane.joined = lane.joined && joins;
        for (DeviceStep& step : lane.steps) step.joins = step.joins && joins;
      }
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

[[maybe_unused]] std::string run_all_drawn(int ranks, const std::vector<Trial>& trials, bool joins = true) {
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
  for (int ranks = 1; ranks <= (test::sanitized ? 5 : 9); ++ranks)
    CHECK(run_all_drawn(ranks, trials_for(ranks, {0, 1, 37, 700, 1500}, 1, {Op::sum})) == std::string());
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

}  // namespace
}  // namespace railgauge

// The kernels of mapped plans on the software GPU: two ranks on devices of their own, or on one, that reduce each other's blocks.
#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"
#include "bench/device/cuda/kernel.hpp"
#include "bench/device/steps.hpp"
#include "tests/softgpu/rig.hpp"

namespace softgpu::test {
namespace {

using railgauge::DeviceStep;
using railgauge::StepKind;
using railgauge::cuda::StepArguments;
using railgauge::cuda::StepControl;
using railgauge::cuda::WorkView;

constexpr std::uint64_t slots = 2, slot_words = 8, elements = 5000;
constexpr std::uint32_t blocks = 3, threads = 256;
// The blocks of both ranks are resident together.
const Limits enough = few_multiprocessors(8);

// What is left out: that the blocks of a lane join before they say that they have read; that one waits for what the peer has
// read.
enum class Fault { none, join, await };

// What a rank has in its device's memory.
struct Rank {
  Device& device;
  Actor stream;
  Buffer input, output, flags, taken, counts, arrived, claimed, control;
  Buffer steps, passed, lane, works, operands;

  Rank(Rig& rig, Device& on, int number)
      : device(on),
        stream(rig.world),
        input(rig, elements * 4, 0, fmt::format("the input of rank {}", number)),
        output(rig, elements * 4, 0, fmt::format("the output of rank {}", number)),
        flags(rig, slots * slot_words * 8, 0, "flags"),
        taken(rig, 8, 0, "a taken flag"),
        counts(rig, sizeof(railgauge::PairCounts), 0, "counts"),
        arrived(rig, 8, 0, "arrived"),
        claimed(rig, 4, 0, "claimed"),
        control(rig, sizeof(StepControl), 0, "control"),
        steps(rig, 6 * sizeof(DeviceStep), 0, "steps"),
        passed(rig, sizeof(railgauge::PassedMessages)),
        lane(rig, sizeof(railgauge::LaneView)),
        works(rig, 2 * sizeof(WorkView)),
        operands(rig, 5 * 8) {
    for (Buffer* zero : {&flags, &taken, &counts, &arrived, &claimed, &control}) zero->fill(std::vector<std::byte>(zero->size()));
  }
};

template <class T>
void put(Buffer& buffer, const std::vector<T>& values) {
  REQUIRE(values.size() * sizeof(T) == buffer.size());
  buffer.fill(std::as_bytes(std::span(values)));
}

// Tell the peer that the input is ready, await the same, add both into the output, tell the peer that its input was taken, await
// the same, copy the output over the input.
void prepare(Rank& rank, Rank& peer, const std::vector<std::int32_t>& input, Fault fault) {
  put(rank.input, input);
  auto* const counts = reinterpret_cast<railgauge::PairCounts*>(rank.counts.data());
  const auto step = [&](StepKind kind, bool joins, std::byte* flag, std::uint32_t work = 0) {
    DeviceStep made;
    made.kind = kind;
    made.joins = joins;
    made.work = work;
    made.ordinal = 1;
    made.flag = reinterpret_cast<std::uint64_t*>(flag);
    made.counts = counts;
    return made;
  };
  put<DeviceStep>(rank.steps,
                  {step(StepKind::set_ready, false, peer.flags.data()), step(StepKind::await_ready, false, rank.flags.data()),
                   step(StepKind::work, false, nullptr, 0), step(StepKind::set_taken, fault != Fault::join, peer.taken.data()),
                   fault == Fault::await ? step(StepKind::await_ready, false, rank.flags.data())
                                         : step(StepKind::await_taken, false, rank.taken.data()),
                   step(StepKind::work, true, nullptr, 1)});
  put<railgauge::PassedMessages>(rank.passed, {{counts, reinterpret_cast<const std::uint64_t*>(rank.taken.data()), 1, 1}});
  put<railgauge::LaneView>(rank.lane,
                           {{reinterpret_cast<const DeviceStep*>(rank.steps.data()), 6,
                             reinterpret_cast<const railgauge::PassedMessages*>(rank.passed.data()), 1, slots, slot_words}});
  put<std::byte*>(rank.operands,
                  {rank.input.data(), peer.input.data(), rank.output.data(), rank.output.data(), rank.input.data()});
  auto* const operands = reinterpret_cast<std::byte**>(rank.operands.data());
  WorkView reduce, copy;
  reduce.sources = operands;
  reduce.targets = operands + 2;
  reduce.source_count = 2;
  copy.sources = operands + 3;
  copy.targets = operands + 4;
  copy.source_count = 1;
  copy.copies = true;
  for (WorkView* work : {&reduce, &copy}) {
    work->target_count = 1;
    work->op = railgauge::Op::sum;
    work->cut = {elements, 0, elements / 4};
  }
  put<WorkView>(rank.works, {reduce, copy});
}

void run(Rig& rig, const Fault fault, bool one_device) {
  Device other(rig.world, rig.memory, 1, enough);
  Rank first(rig, rig.device, 0), second(rig, one_device ? rig.device : other, 1);
  Rank* const ranks[] = {&first, &second};
  std::vector<std::int32_t> inputs[2];
  std::mt19937_64 random(rig.random());
  for (auto& input : inputs)
    for (std::uint64_t i = 0; i < elements; ++i) input.push_back(static_cast<std::int32_t>(random() % 100000));
  prepare(first, second, inputs[0], fault);
  prepare(second, first, inputs[1], fault);
  constexpr int runs = 3;
  std::unique_ptr<Grid> grids[2];
  int begun[2] = {0, 0};
  const Kernel& walk = kernel("_ZN9railgauge4cuda10walk_stepsILNS_4TypeE2EEEvNS0_13StepArgumentsE");
  for (;;) {
    bool running = false;
    for (const std::size_t i : {0U, 1U}) {
      Rank& rank = *ranks[i];
      if (grids[i] != nullptr && grids[i]->state() == State::ended) grids[i] = nullptr;
      if (grids[i] == nullptr && begun[i] < runs) {
        ++begun[i];
        rank.stream.acquire(rig.host.release());
        const Arguments arguments(StepArguments{
            reinterpret_cast<const railgauge::LaneView*>(rank.lane.data()), reinterpret_cast<const WorkView*>(rank.works.data()),
            2, reinterpret_cast<std::uint64_t*>(rank.arrived.data()), reinterpret_cast<std::uint32_t*>(rank.claimed.data()),
            reinterpret_cast<StepControl*>(rank.control.data()), blocks, std::int64_t{1} << 62});
        Launch launch;
        launch.kernel = &walk;
        launch.grid = {blocks, 1, 1};
        launch.block = {threads, 1, 1};
        launch.parameters = arguments.bytes();
        grids[i] = std::make_unique<Grid>(rank.device, rank.stream, launch, rig.random);
      }
      running |= grids[i] != nullptr;
      if (grids[i] != nullptr && rig.random() % 3 != 0) grids[i]->advance();
    }
    if (!running) break;
    for (auto& grid : grids)  // each waits for the other
      if (std::all_of(std::begin(grids), std::end(grids), [](const auto& one) { return one == nullptr || one->stuck(); }) &&
          grid != nullptr)
        grid->give_up();
  }
  if (fault != Fault::none) return;
  for (const Rank* rank : ranks) {
    std::vector<std::int32_t> got(elements);
    std::memcpy(got.data(), rank->output.data(), elements * 4);
    for (std::uint64_t i = 0; i < elements; ++i) REQUIRE(got[i] == (inputs[0][i] + inputs[1][i]) << (runs - 1));
  }
}

}  // namespace

TEST_CASE("two ranks reduce each other's blocks by steps, without a race") {
  const std::uint64_t seeds = rounds("SOFTGPU_STEPS_SEEDS", 6);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    INFO("seed " << seed);
    Rig rig(seed, enough);
    run(rig, Fault::none, seed % 2 == 1);
    INFO(rig.said());
    REQUIRE(rig.findings.all().empty());
  }
}

TEST_CASE("steps that do not wait for a reader are a race, and both lines are named") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Fault fault : {Fault::join, Fault::await}) {
      INFO("seed " << seed << ", fault " << static_cast<int>(fault));
      Rig rig(seed, enough);
      run(rig, fault, seed % 2 == 1);
      const std::string said = rig.said();
      INFO(said);
      CHECK(said.find("race: ") != std::string::npos);
      CHECK(said.find("bench/device/cuda/steps.cuh:") != std::string::npos);
      CHECK(said.find("bench/device/cuda/reduce.cuh:") != std::string::npos);
    }
  }
}

}  // namespace softgpu::test

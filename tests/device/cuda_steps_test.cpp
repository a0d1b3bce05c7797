// Mapped plans run by the GPU itself: ranks are threads with a stream each on one GPU, whose kernels are there together. Skipped,
// with the reason, where there is no GPU.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "bench/device/cuda/device.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/plan/collective_spec.hpp"
#include "tests/plan/reference.hpp"
#include "tests/test.hpp"
#include "transports/words.hpp"

namespace railgauge {
namespace {

using test::Values;

constexpr Seconds deadline{100};
constexpr std::size_t lanes = 2;

// Peers of one process: what a rank has is where the others see it.
class OneProcess final : public Endpoint {
 public:
  OneProcess(Group& group, const Region& flags, const Region& memory) {
    const std::vector<std::uint64_t> mine{reinterpret_cast<std::uintptr_t>(flags.address),
                                          reinterpret_cast<std::uintptr_t>(memory.address)};
    for (const Blob& blob : group.allgather(to_blob(mine))) {
      const std::vector<std::uint64_t> theirs = to_words(blob);
      mapping_.flags.push_back(reinterpret_cast<std::atomic<std::uint64_t>*>(theirs.at(0)));
      mapping_.regions.push_back({reinterpret_cast<std::byte*>(theirs.at(1))});
    }
    mapping_.flag_count = flags.bytes / sizeof(std::uint64_t);
    mapping_.on_device = true;
    mapping_.sharers = static_cast<std::uint32_t>(group.size());
  }
  void attach(const Region&) override {}
  std::unique_ptr<Exchange> prepare(std::size_t, std::vector<std::vector<Message>>) override { return nullptr; }
  const Mapping* mapping() const override { return &mapping_; }

 private:
  Mapping mapping_;
};

void wait_for(Runnable& plan, const Group& group) {
  while (!plan.test()) group.check();
}

// An all_reduce of two ranks of one process by algorithm ring.
struct RingOfTwo {
  explicit RingOfTwo(Group& group) : endpoint(group, flags.region(), memory.region()), parts(spec_of(group)) {}
  std::unique_ptr<Runnable> plan() { return make_mapped_plan(parts, endpoint, *compute, sequence, 0, 0); }

  static CollectiveSpec spec_of(const Group& group) {
    CollectiveSpec spec;
    spec.algorithm = find_algorithm(Collective::all_reduce, "ring");
    spec.type = Type::uint32;
    spec.op = Op::sum;
    spec.shape = {2, group.rank(), 0, 1};
    spec.elements = 5000;
    return spec;
  }
  std::unique_ptr<Device> device = cuda::open_device(0, MemoryKind::cuda);
  Memory flags = device->allocate(flags_needed(1, 2) * sizeof(std::uint64_t), Sharing::own);
  Memory memory = device->allocate(std::size_t{1} << 20, Sharing::own);
  OneProcess endpoint;
  MappedSequence sequence{1, 2};
  RankParts parts;
  std::unique_ptr<Compute> compute = device->compute(Type::uint32, Op::sum);
};

// One rank's part of all specs; what was wrong goes to `mistakes`.
void run_rank(Group& group, const std::vector<CollectiveSpec>& specs, std::vector<std::string>& mistakes, std::mutex& mutex) {
  const auto device = cuda::open_device(0, MemoryKind::cuda);
  const auto ranks = static_cast<std::size_t>(group.size());
  const Memory flags = device->allocate(flags_needed(lanes, ranks) * sizeof(std::uint64_t), Sharing::own);
  const Memory memory = device->allocate(std::size_t{64} << 20, Sharing::own);
  OneProcess endpoint(group, flags.region(), memory.region());
  MappedSequence sequence(lanes, ranks);
  std::uint64_t seed = 1;
  for (CollectiveSpec spec : specs) {
    ++seed;
    spec.shape.rank = group.rank();
    RankParts parts(spec);
    const auto compute = device->compute(spec.type, spec.op);
    const auto plan = make_mapped_plan(parts, endpoint, *compute, sequence, 0, 0);
    const Layout& layout = parts.mine().layout;
    std::vector<std::byte> image(parts.mine().set_bytes(spec.type), std::byte{0xa5});
    const Bytes there(memory.region().address, image.size());
    const Values input = test::input_of(spec, seed, group.rank(), layout.sizes());
    if (layout.sizes().has_input && !input.empty())
      std::memcpy(image.data() + layout.input().begin * sizeof(std::uint32_t), input.data(),
                  input.size() * sizeof(std::uint32_t));
    compute->copy(image, there);
    fence(*compute);
    group.barrier();
    for (int repetition = 0; repetition < (spec.in_place ? 1 : 3); ++repetition) plan->start();
    wait_for(*plan, group);
    group.barrier();
    compute->copy(there, image);
    fence(*compute);
    const Values expected = test::expected_output(spec, seed, parts.mine().schedule.blocks);
    if (!expected.empty() && std::memcmp(image.data() + layout.output().begin * sizeof(std::uint32_t), expected.data(),
                                         expected.size() * sizeof(std::uint32_t)) != 0) {
      const std::scoped_lock lock(mutex);
      mistakes.push_back(std::string(name(spec.algorithm->collective)) + " by " + std::string(spec.algorithm->name) + ", " +
                         std::to_string(spec.elements) + " elements, rank " + std::to_string(group.rank()));
    }
    group.barrier();
  }
}

CollectiveSpec recipe(const Algorithm& algorithm, int ranks, std::uint64_t elements, bool in_place) {
  CollectiveSpec spec;
  spec.algorithm = &algorithm;
  spec.type = Type::uint32;
  spec.op = row(algorithm.collective).reduces ? Op::sum : Op::none;
  spec.shape = {ranks, 0, ranks / 2, 1};
  const auto parts = static_cast<std::uint64_t>(ranks);
  const std::uint64_t whole = algorithm.equal_blocks ? (elements + parts - 1) / parts * parts : elements;
  spec.elements = used_elements(algorithm.collective, ranks, whole);
  spec.lanes = elements > 1000 ? lanes : 1;
  spec.in_place = in_place;
  return spec;
}

std::vector<CollectiveSpec> recipes_for(int ranks, const std::vector<std::uint64_t>& sizes) {
  std::vector<CollectiveSpec> specs;
  for (const Algorithm& algorithm : catalog())
    for (const std::uint64_t elements : sizes)
      for (const bool in_place : {false, true})
        if ((!in_place || algorithm.in_place) && algorithm.refusal({ranks, 0, ranks / 2, 1}).empty())
          specs.push_back(recipe(algorithm, ranks, elements, in_place));
  return specs;
}

void throw_first(const std::vector<std::exception_ptr>& errors) {
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

// Streams that share a connection to a GPU wait for each other, and here each rank has one.
void expect_gpu() {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  if (const std::string reason = cuda::missing_devices(); !reason.empty()) test::skip("no GPU: " + reason);
}

void check_right(int ranks, const std::vector<CollectiveSpec>& specs) {
  expect_gpu();
  std::vector<std::string> mistakes;
  std::mutex mutex;
  throw_first(run_as_threads(ranks, deadline, [&](Group& group) { run_rank(group, specs, mistakes, mutex); }));
  std::string text;
  for (const std::string& mistake : mistakes) text += mistake + "\n";
  INFO(ranks << " ranks: " << text);
  CHECK(mistakes.empty());
}

const std::vector<std::uint64_t> small_sizes{1, 37, 1031}, large_sizes{300'001};

TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: 1 rank", "[steps]") {
  check_right(1, recipes_for(1, small_sizes));
}
TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: 2 ranks", "[steps]") {
  check_right(2, recipes_for(2, small_sizes));
}
TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: 3 ranks", "[steps]") {
  check_right(3, recipes_for(3, small_sizes));
}
TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: 4 ranks", "[steps]") {
  check_right(4, recipes_for(4, small_sizes));
}
TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: 5 to 8 ranks", "[steps][long]") {
  for (const int ranks : {5, 6, 7, 8}) {
    std::vector<CollectiveSpec> specs = recipes_for(ranks, {1031});
    for (CollectiveSpec& spec : specs) spec.lanes = 1;  // small GPUs have room for no more
    check_right(ranks, specs);
  }
}
TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: large arrays of 1 rank", "[steps][long]") {
  check_right(1, recipes_for(1, large_sizes));
}
TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: large arrays of 2 ranks", "[steps][long]") {
  check_right(2, recipes_for(2, large_sizes));
}
TEST_CASE("gpu: every algorithm is right when the GPU runs the plan: large arrays of 3 ranks", "[steps][long]") {
  check_right(3, recipes_for(3, large_sizes));
}

// Half of the multiprocessors each would be more blocks than the GPU holds: some would wait for others that never come.
TEST_CASE("gpu: eight ranks of one GPU have room beside each other", "[steps]") {
  CollectiveSpec spec = recipe(*find_algorithm(Collective::all_reduce, "ring"), 8, 300'001, true);
  spec.lanes = 1;
  check_right(8, {spec});
}

// The kernel has ended, and nobody has asked CUDA yet: the first answer may still be that it has not.
TEST_CASE("gpu: a plan that goes as its kernel ends leaves the next one alone", "[steps]") {
  expect_gpu();
  throw_first(run_as_threads(2, deadline, [&](Group& group) {
    RingOfTwo ring(group);
    for (int turn = 0; turn < 20; ++turn) {
      auto plan = ring.plan();
      std::atomic<bool> ended{false};
      group.barrier();
      plan->start();
      const auto tell = [](void* its) { static_cast<std::atomic<bool>*>(its)->store(true); };
      if (cudaLaunchHostFunc(static_cast<cudaStream_t>(ring.device->stream()), tell, &ended) != cudaSuccess)
        throw Error(Fault::lost, "cudaLaunchHostFunc");
      while (!ended) group.check();
      plan.reset();
      group.barrier();
      plan = ring.plan();
      group.barrier();
      plan->start();
      wait_for(*plan, group);  // throws where the kernel gave up
      group.barrier();
    }
  }));
}

// A plan goes while its stream is held up by something else, for longer than it has patience.
TEST_CASE("gpu: a plan that could not end its stream leaves the others of the stream alone", "[steps]") {
  expect_gpu();
  throw_first(run_as_threads(2, deadline, [&](Group& group) {
    RingOfTwo ring(group);
    auto gone = ring.plan(), other = ring.plan(), last = ring.plan();
    std::atomic<bool> opened{false};
    const auto hold = [](void* its) {
      while (!static_cast<std::atomic<bool>*>(its)->load()) std::this_thread::yield();
    };
    auto* const stream = static_cast<cudaStream_t>(ring.device->stream());
    if (cudaLaunchHostFunc(stream, hold, &opened) != cudaSuccess) throw Error(Fault::lost, "cudaLaunchHostFunc");
    gone.reset();
    opened = true;
    while (cudaStreamQuery(stream) == cudaErrorNotReady) group.check();
    last.reset();
    group.barrier();
    other->start();
    wait_for(*other, group);  // throws where the kernel gave up
    group.barrier();
  }));
}

TEST_CASE("gpu: the end of a plan ends a kernel whose peer does not come", "[steps]") {
  expect_gpu();
  // Less than the minute that a wait of the kernel may take: the other rank's barrier would end before the kernel's own deadline.
  constexpr Seconds patience{40};
  throw_first(run_as_threads(2, patience, [&](Group& group) {
    RingOfTwo ring(group);
    auto plan = ring.plan();
    if (group.rank() == 0) {
      plan->start();
      for (int look = 0; look < 10'000; ++look)
        if (plan->test()) throw Error(Fault::wrong_data, "a run was over that had to wait");
      plan.reset();
    }
    group.barrier();
  }));
}

}  // namespace
}  // namespace railgauge

// The kernel of mapped plans: all of its blocks stay on the device from the first step to the last one, those of a lane walk
// through the steps together (walk.cuh), and reduce by the loops of reduce.cuh.
//
//   grid   |lane 0: block 0, 1, 2 ...|lane 1: block 0, 1, 2 ...|     no larger than what the device holds at once
//   (step_runner.cpp)
//
// What a block has read and written is made known by some of its threads, one for each peer, behind a barrier of the block: by an
// operation on a flag with release semantics for the whole system, which in CUDA's memory model covers what came before in all
// threads that passed the barrier. Who acquires the flag and passes a barrier sees all of it.
//
// Blocks join by a counter with device scope, which is enough between blocks of one kernel: both sides of each such pair are on
// this device, so that the pair is morally strong, and causality order, which is transitive, takes up pairs of any scope. What a
// peer released for the system and one block acquired, the others see behind the join; what the others wrote before it, a peer
// sees that acquires what the first block releases for the system behind it.
#pragma once

#include <cuda/atomic>
#include <type_traits>

#include "bench/device/cuda/reduce.cuh"
#include "bench/device/cuda/walk.cuh"

namespace railgauge::cuda {

inline __device__ std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

template <class Word>
__device__ auto shared_word(Word& word) {
  return ::cuda::atomic_ref<Word, ::cuda::thread_scope_system>(word);
}
template <class Word>
__device__ auto device_word(Word& word) {
  return ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>(word);
}

inline __device__ void copy_shifted_word(const WorkView& work, std::size_t at) {
  const uint4 raw = load_anywhere(work.sources[0] + at);
  for (std::uint32_t target = 0; target < work.target_count; ++target) store_anywhere(work.targets[target] + at, raw);
}

// Words from `word` on, as reduce_words().
template <int count>
__device__ void copy_words(const WorkView& work, std::size_t offset, std::size_t word) {
  const auto is_there = [&](int i) { return word + static_cast<std::size_t>(i) * threads < work.cut.words; };
  const auto* const from = reinterpret_cast<const uint4*>(work.sources[0] + offset) + word;
  uint4 raw[count] = {};
#pragma unroll
  for (int i = 0; i < count; ++i)
    if (is_there(i)) raw[i] = from[static_cast<std::size_t>(i) * threads];
  for (std::uint32_t target = 0; target < work.target_count; ++target) {
    auto* const to = reinterpret_cast<uint4*>(work.targets[target] + offset) + word;
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (is_there(i)) to[static_cast<std::size_t>(i) * threads] = raw[i];
  }
}

// One source into each target as it is; as reduce_share() otherwise.
template <Type type>
__device__ void copy_share(const WorkView& work, unsigned block, unsigned blocks) {
  using Stored = typename Words<type>::Stored;
  constexpr int count = 4;
  constexpr std::size_t tile = std::size_t{threads} * count;
  const Partition& cut = work.cut;
  const std::size_t offset = cut.head * sizeof(Stored);
  if (cut.shifted) {
    for (std::size_t word = std::size_t{block} * threads + threadIdx.x; word < cut.words; word += std::size_t{blocks} * threads)
      copy_shifted_word(work, offset + word * word_bytes);
  } else {
    for (std::size_t first = block * tile; first < cut.words; first += blocks * tile)
      copy_words<count>(work, offset, first + threadIdx.x);
  }
  const std::size_t per_word = Words<type>::elements;
  const std::size_t apart = cut.elements - cut.words * per_word;
  for (std::size_t i = std::size_t{block} * threads + threadIdx.x; i < apart; i += std::size_t{blocks} * threads) {
    const std::size_t at = i < cut.head ? i : i + cut.words * per_word;
    const Stored stored = reinterpret_cast<const Stored*>(work.sources[0])[at];
    for (std::uint32_t target = 0; target < work.target_count; ++target)
      reinterpret_cast<Stored*>(work.targets[target])[at] = stored;
  }
}

// A Block of walk.cuh, whose teams are warps.
template <Type type>
class DeviceBlock {
 public:
  __device__ DeviceBlock(const StepArguments& arguments, const WorkView* works)
      : arguments_(arguments),
        works_(works),
        lane_(blockIdx.x / arguments.blocks_of_lane),
        block_(blockIdx.x % arguments.blocks_of_lane) {}

  [[nodiscard]] __device__ std::uint32_t lane() const { return lane_; }
  [[nodiscard]] __device__ bool first() const { return block_ == 0; }
  [[nodiscard]] __device__ unsigned thread() const { return threadIdx.x; }
  [[nodiscard]] __device__ unsigned threads() const { return cuda::threads; }
  __device__ void begin() { failed_ = shared_word(*arguments_.claimed).load(::cuda::memory_order_relaxed) != 0; }
  [[nodiscard]] __device__ bool failed() const { return failed_; }
  [[nodiscard]] __device__ bool meet() const { return __syncthreads_or(static_cast<int>(failed_)) == 0; }

  __device__ void store(std::uint64_t* flag, std::uint64_t value) const {
    shared_word(*flag).store(value, ::cuda::memory_order_release);
  }

  [[nodiscard]] __device__ bool reached(std::uint64_t* flag, std::uint64_t value) {
    return comes_to(shared_word(*flag), value, arguments_.patience);
  }

  [[nodiscard]] __device__ std::uint64_t look(const std::uint64_t* flag) const {
    return shared_word(const_cast<std::uint64_t&>(*flag)).load(::cuda::memory_order_acquire);
  }

  __device__ void fail(const DeviceStep& step) { note(step.kind, step.peer, step.ordinal); }

  __device__ bool join() {
    if (arguments_.blocks_of_lane == 1) return meet();
    if (!meet()) return false;
    if (threadIdx.x == 0) {
      const std::uint64_t blocks = arguments_.blocks_of_lane;
      const auto arrived = device_word(arguments_.arrived[lane_]);
      const std::uint64_t ticket = arrived.fetch_add(1, ::cuda::memory_order_acq_rel);
      if (!comes_to(arrived, (ticket / blocks + 1) * blocks, 2 * arguments_.patience)) note(StepKind::work, 0, 0);
    }
    return meet();
  }

  [[nodiscard]] __device__ unsigned team() const { return threadIdx.x / warp; }
  [[nodiscard]] __device__ unsigned teams() const { return cuda::threads / warp; }
  [[nodiscard]] __device__ bool leads() const { return threadIdx.x % warp == 0; }
  __device__ void meet_team() const { __syncwarp(); }

  __device__ void put(const DeviceStep& step, std::uint64_t* to, std::uint32_t number) const {
    const std::uint32_t count = packets_of(step.bytes);
    for (std::uint32_t i = threadIdx.x % warp; i < count; i += warp) {
      const std::uint64_t packet = make_packet(step.source, step.bytes, i, number);
      if (step.ordered)
        shared_word(to[i]).store(packet, ::cuda::memory_order_release);
      else
        shared_word(to[i]).store(packet, ::cuda::memory_order_relaxed);
    }
  }

  [[nodiscard]] __device__ bool take(const DeviceStep& step, std::uint64_t* from, std::uint32_t number) {
    constexpr std::uint32_t at_once = 4;
    const std::uint32_t count = packets_of(step.bytes);
    for (std::uint32_t first = threadIdx.x % warp; first < count; first += at_once * warp) {
      std::uint64_t packets[at_once] = {};
      const bool all = comes(arguments_.patience, [&] {
        bool are_there = true;
#pragma unroll
        for (std::uint32_t i = 0; i < at_once; ++i) {
          if (first + i * warp >= count) continue;
          const auto word = shared_word(from[first + i * warp]);
          packets[i] = step.ordered ? word.load(::cuda::memory_order_acquire) : word.load(::cuda::memory_order_relaxed);
          are_there = are_there && is_of(packets[i], number);
        }
        return are_there;
      });
      if (!all) return false;
#pragma unroll
      for (std::uint32_t i = 0; i < at_once; ++i)
        if (first + i * warp < count) store_packet(step.target, step.bytes, first + i * warp, packets[i]);
    }
    return true;
  }

  __device__ void perform(std::uint32_t index) const {
    const WorkView& work = works_[index];
    if (work.copies)
      copy_share<type>(work, block_, arguments_.blocks_of_lane);
    else
      reduce_share<type, 0>(work, block_, arguments_.blocks_of_lane);
  }

 private:
  template <class Word>
  [[nodiscard]] __device__ bool comes_to(const Word& word, std::uint64_t value, std::int64_t patience) {
    return comes(patience, [&] { return word.load(::cuda::memory_order_acquire) >= value; });
  }
  // Looks until it is so; false after so many nanoseconds.
  template <class Look>
  [[nodiscard]] __device__ bool comes(std::int64_t patience, const Look& is_so) {
    std::uint64_t begin = 0;
    for (std::uint32_t look = 1; !is_so(); ++look) {
      if (look % looks != 0) continue;
      const std::uint64_t now = nanoseconds();
      if (begin == 0) begin = now;
      late_ = static_cast<std::int64_t>(now - begin) > patience;
      if (late_ || shared_word(arguments_.control->stop).load(::cuda::memory_order_relaxed) != 0) return false;
    }
    return true;
  }

  static constexpr unsigned warp = 32;
  static constexpr std::uint32_t looks = 1024;  // between two at what the host says, which is far away

  // The first one to give up says why.
  __device__ void note(StepKind kind, std::uint32_t peer, std::uint64_t ordinal) {
    failed_ = true;
    StepControl& control = *arguments_.control;
    if (shared_word(*arguments_.claimed).exchange(1, ::cuda::memory_order_relaxed) == 0) {
      control.what.why = late_ ? GivenUp::Why::late : GivenUp::Why::told;
      control.what.kind = kind;
      control.what.lane = lane_;
      control.what.peer = peer;
      control.what.ordinal = ordinal;
      shared_word(control.gave_up).store(1, ::cuda::memory_order_release);
    }
    shared_word(control.stop).store(1, ::cuda::memory_order_release);
  }

  const StepArguments& arguments_;
  const WorkView* works_;
  std::uint32_t lane_, block_;
  bool late_ = false, failed_ = false;
};

// The tables of short plans are fetched once, all rows at the same time: each that is read in its order is a round trip to
// memory. The caller passes a barrier of the block before it reads one.
inline constexpr std::uint64_t held_steps = 48, held_works = 32;

template <class Row, std::size_t words>
__device__ const Row* fetch(const Row* rows, std::uint64_t count, std::uint64_t (&held)[words]) {
  static_assert(sizeof(Row) % sizeof(std::uint64_t) == 0 && std::is_trivially_copyable_v<Row>);
  if (count > words * sizeof(std::uint64_t) / sizeof(Row)) return rows;
  const auto* const from = reinterpret_cast<const std::uint64_t*>(rows);
  const auto end = static_cast<std::uint32_t>(count * sizeof(Row) / sizeof(std::uint64_t));
  for (std::uint32_t i = threadIdx.x; i < end; i += threads) held[i] = from[i];
  return reinterpret_cast<const Row*>(held);
}

template <Type type>
__global__ void __launch_bounds__(threads, least_blocks) walk_steps(const __grid_constant__ StepArguments arguments) {
  __shared__ std::uint64_t steps[held_steps * sizeof(DeviceStep) / sizeof(std::uint64_t)];
  __shared__ std::uint64_t works[held_works * sizeof(WorkView) / sizeof(std::uint64_t)];
  const WorkView* const its_works = fetch(arguments.works, arguments.work_count, works);
  DeviceBlock<type> block(arguments, its_works);
  LaneView lane = arguments.lanes[block.lane()];
  lane.steps = fetch(lane.steps, lane.step_count, steps);
  __syncthreads();
  walk(lane, block);
}

template <Type type>
cudaError_t launch_steps(const StepArguments& arguments, unsigned lanes, cudaStream_t stream) {
  (void)cudaGetLastError();  // of calls before
  walk_steps<type><<<lanes * arguments.blocks_of_lane, threads, 0, stream>>>(arguments);
  return cudaGetLastError();
}

template <Type type>
cudaError_t measure_steps(int& blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk_steps<type>, threads, 0);
}

template <Type type>
inline constexpr Kernel kernel_of{&launch<type>, &measure_grids<type>, &launch_steps<type>, &measure_steps<type>,
                                  &factor_bits<type>};

}  // namespace railgauge::cuda

// Runs a program of steps as a GPU does, with threads of the host in place of its blocks and their threads: the very code of the
// kernel (bench/device/cuda/walk.cuh), in ever other orders.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/device/device.hpp"
#include "tests/plan/late_stream.hpp"
#include "tests/plan/thread_pool.hpp"

#define __device__  // NOLINT(bugprone-reserved-identifier): nvcc's word, which is none of the host's
#include "bench/device/cuda/walk.cuh"
#undef __device__

namespace railgauge::test {

// Between two looks at what another thread is to change. There may be many times as many threads as cores.
inline void rest(unsigned look) {
  if (look < 8)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

struct BlockShape {
  unsigned blocks = 1, threads = 1;  // blocks of each lane, threads of each block
  std::uint64_t seed = 1;
  std::chrono::milliseconds patience{20000};
};

// The part of a work that falls to one thread of a lane, in tiles; `after` is called behind each. Whose tile is whose depends on
// the work, as its size and addresses decide it on a GPU.
template <class Call>
void perform_share(const StepProgram& program, std::uint32_t index, Compute& compute, std::size_t unit, const BlockShape& shape,
                   unsigned block, unsigned thread, const Call& after) {
  constexpr std::size_t few_elements = 8;
  const StepWork& work = program.works[index];
  const std::size_t tile = few_elements * unit, shares = std::size_t{shape.blocks} * shape.threads;
  std::vector<ConstBytes> sources(work.sources);
  std::vector<Bytes> targets(work.targets);
  const Scale scale{std::span(program.factors).subspan(work.first_factor, work.factors), work.divisor};
  const std::size_t mine = (std::size_t{block} * shape.threads + thread + index) % shares;
  for (std::size_t at = mine * tile; at < work.bytes; at += shares * tile) {
    const std::size_t size = std::min(tile, work.bytes - at);
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = {program.sources[work.first_source + i] + at, size};
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = {program.targets[work.first_target + i] + at, size};
    compute.reduce(sources, targets, scale);
    after();
  }
}

// A program that is being run; runs of it and their threads share it.
class HostSteps {
 public:
  using Reach = std::function<std::byte*(const std::byte*, std::size_t)>;

  // `reach`: where the host can touch the device's memory.
  HostSteps(StepProgram program, std::unique_ptr<Compute> compute, std::size_t unit, const BlockShape& shape, Reach reach)
      : program_(std::move(program)), compute_(std::move(compute)), unit_(unit), shape_(shape), reach_(std::move(reach)) {
    for (const LaneSteps& steps : program_.lanes) {
      HostLane& lane = lanes_.emplace_back();
      lane.steps = steps.steps;
      lane.passed = steps.passed;
      for (DeviceStep& step : lane.steps) {
        reach_word(step.flag);
        reach_word(step.taken);
        reach_word(step.counts);
        if (step.bytes != 0 && step.source != nullptr) step.source = reach_(step.source, step.bytes);
        if (step.bytes != 0 && step.target != nullptr) step.target = reach_(step.target, step.bytes);
      }
      for (PassedMessages& passed : lane.passed) {
        reach_word(passed.counts);
        passed.taken = reinterpret_cast<const std::uint64_t*>(
            reach_(reinterpret_cast<const std::byte*>(passed.taken), sizeof *passed.taken));
      }
      lane.view = {lane.steps.data(), lane.steps.size(),   lane.passed.data(), lane.passed.size(),
                   program_.slots,    program_.slot_words, program_.slot_bits, steps.joined};
      for (unsigned block = 0; block < shape_.blocks; ++block)
        lane.blocks.push_back(std::make_unique<BlockState>(shape_.threads));
    }
    for (const StepWork& work : program_.works) {
      for (std::uint32_t i = 0; i < work.sources; ++i) reach_bytes(program_.sources[work.first_source + i], work.bytes);
      for (std::uint32_t i = 0; i < work.targets; ++i) reach_bytes(program_.targets[work.first_target + i], work.bytes);
    }
  }
  ~HostSteps() { end(); }
  HostSteps(const HostSteps&) = delete;
  HostSteps& operator=(const HostSteps&) = delete;

  // Begins a run, or sees whether it is over.
  bool advance() {
    if (!begun_) {
      if (told_) return true;
      begun_ = true;
      running_ = lanes_.size() * shape_.blocks * shape_.threads;
      for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
        for (unsigned block = 0; block < shape_.blocks; ++block)
          for (unsigned thread = 0; thread < shape_.threads; ++thread)
            ThreadPool::of_process().run([this, lane, block, thread, seed = ++runs_] {
              {
                Block mine(*this, lane, block, thread, seed);
                cuda::walk(lanes_[lane].view, mine);
              }
              --running_;  // after which this may be gone
            });
    }
    if (running_ != 0) return false;
    begun_ = false;
    return true;
  }
  void end() {
    told_ = true;
    for (unsigned look = 0; running_ != 0; ++look) rest(look);
  }
  void check() {
    const std::scoped_lock lock(mutex_);
    if (gave_up_) throw Error(Fault::lost, sentence_of(*gave_up_, std::chrono::duration<double>(shape_.patience).count()));
  }

 private:
  struct BlockState {
    explicit BlockState(unsigned threads) : barrier(threads) {}
    std::barrier<> barrier;
    std::atomic<bool> failed{false};  // a thread of it, which is the end
  };
  struct HostLane {
    std::vector<DeviceStep> steps;
    std::vector<PassedMessages> passed;
    LaneView view;
    std::uint64_t arrived = 0;
    std::vector<std::unique_ptr<BlockState>> blocks;
  };

  // One thread of a block, and a team of its own.
  class Block {
   public:
    Block(HostSteps& run, std::uint32_t lane, unsigned block, unsigned thread, std::uint64_t seed)
        : run_(run),
          lane_(run.lanes_[lane]),
          number_(lane),
          block_(block),
          thread_(thread),
          state_(*lane_.blocks[block]),
          random_(static_cast<std::uint32_t>(run.shape_.seed * 7919 + seed)) {}

    [[nodiscard]] bool first() const { return block_ == 0; }
    [[nodiscard]] unsigned thread() const { return thread_; }
    [[nodiscard]] unsigned threads() const { return run_.shape_.threads; }
    void begin() {
      if (run_.told_ || run_.late_) state_.failed = failed_ = true;
    }
    [[nodiscard]] bool failed() const { return failed_; }
    bool meet() {
      state_.barrier.arrive_and_wait();
      return !state_.failed;
    }
    void store(std::uint64_t* flag, std::uint64_t value) const { std::atomic_ref(*flag).store(value, std::memory_order_release); }
    [[nodiscard]] bool reached(std::uint64_t* flag, std::uint64_t value) const {
      return comes(run_.shape_.patience, [&] { return std::atomic_ref(*flag).load(std::memory_order_acquire) >= value; });
    }
    template <class Look>
    [[nodiscard]] bool comes(std::chrono::milliseconds patience, const Look& is_so) const {
      const auto begin = std::chrono::steady_clock::now();
      for (unsigned look = 1; !is_so(); ++look) {
        if (run_.told_ || run_.late_) return false;
        if (look % 256 == 0 && std::chrono::steady_clock::now() - begin > patience) {
          run_.late_ = true;
          return false;
        }
        rest(look);
      }
      return true;
    }
    [[nodiscard]] std::uint64_t look(const std::uint64_t* flag) const {
      return std::atomic_ref(const_cast<std::uint64_t&>(*flag)).load(std::memory_order_acquire);
    }
    void fail(const DeviceStep& step) { note(step.kind, step.peer, step.ordinal); }
    bool join() {
      if (!meet()) return false;
      if (thread_ == 0) {
        dawdle();
        const std::uint64_t ticket = std::atomic_ref(lane_.arrived).fetch_add(1, std::memory_order_acq_rel);
        const std::uint64_t all = (ticket / run_.shape_.blocks + 1) * run_.shape_.blocks;
        if (!comes(2 * run_.shape_.patience,
                   [&] { return std::atomic_ref(lane_.arrived).load(std::memory_order_acquire) >= all; }))
          note(StepKind::work, 0, 0);
      }
      return meet();
    }
    [[nodiscard]] unsigned team() const { return thread_; }
    [[nodiscard]] unsigned teams() const { return run_.shape_.threads; }
    [[nodiscard]] static bool leads() { return true; }
    static void meet_team() {}
    void put(const DeviceStep& step, std::uint64_t* to, std::uint32_t number) {
      const auto order = step.ordered ? std::memory_order_release : std::memory_order_relaxed;
      for (std::uint32_t i = 0; i < cuda::packets_of(step.bytes); ++i) {
        std::atomic_ref(to[i]).store(cuda::make_packet(step.source, step.bytes, i, number), order);
        dawdle();
      }
    }
    [[nodiscard]] bool take(const DeviceStep& step, std::uint64_t* from, std::uint32_t number) {
      const auto order = step.ordered ? std::memory_order_acquire : std::memory_order_relaxed;
      for (std::uint32_t i = 0; i < cuda::packets_of(step.bytes); ++i) {
        std::uint64_t packet = 0;
        if (!comes(run_.shape_.patience, [&] { return cuda::is_of(packet = std::atomic_ref(from[i]).load(order), number); }))
          return false;
        cuda::store_packet(step.target, step.bytes, i, packet);
      }
      return true;
    }
    void perform(std::uint32_t index) {
      perform_share(run_.program_, index, *run_.compute_, run_.unit_, run_.shape_, block_, thread_, [] {});
      dawdle();
    }

   private:
    // Lets others overtake, now and then for long.
    void dawdle() {
      const std::uint32_t drawn = random_() % 16;
      if (drawn < 12) return;
      for (std::uint32_t turn = 0; turn < (drawn == 15 ? 6U : 1U); ++turn) std::this_thread::yield();
    }
    void note(StepKind kind, std::uint32_t peer, std::uint64_t ordinal) {
      state_.failed = failed_ = true;
      const std::scoped_lock lock(run_.mutex_);
      if (!run_.gave_up_) run_.gave_up_ = {run_.told_ ? GivenUp::Why::told : GivenUp::Why::late, kind, number_, peer, ordinal};
    }

    HostSteps& run_;
    HostLane& lane_;
    std::uint32_t number_;
    unsigned block_, thread_;
    BlockState& state_;
    bool failed_ = false;
    std::minstd_rand random_;
  };

  template <class Word>
  void reach_word(Word*& word) const {
    if (word != nullptr) word = reinterpret_cast<Word*>(reach_(reinterpret_cast<const std::byte*>(word), sizeof(Word)));
  }
  template <class Byte>
  void reach_bytes(Byte*& bytes, std::size_t size) const {
    bytes = reach_(bytes, size);
  }

  StepProgram program_;
  std::unique_ptr<Compute> compute_;
  std::size_t unit_;
  BlockShape shape_;
  Reach reach_;
  std::vector<HostLane> lanes_;
  bool begun_ = false;
  std::uint64_t runs_ = 0;
  std::atomic<std::size_t> running_{0};
  std::atomic<bool> told_{false}, late_{false};
  std::mutex mutex_;
  std::optional<GivenUp> gave_up_;
};

// Puts runs into a late stream, one behind the other.
class HostStepRunner final : public StepRunner {
 public:
  HostStepRunner(std::shared_ptr<HostSteps> steps, std::shared_ptr<LateStream> stream)
      : steps_(std::move(steps)), stream_(std::move(stream)) {}
  ~HostStepRunner() override { steps_->end(); }
  void enqueue() override {
    stream_->push([steps = steps_] { return steps->advance(); });
  }
  void check() override { steps_->check(); }
  [[nodiscard]] std::uint32_t multiprocessors() const override { return 1; }

 private:
  std::shared_ptr<HostSteps> steps_;
  std::shared_ptr<LateStream> stream_;
};

}  // namespace railgauge::test

// Runs programs of steps of several ranks in one thread: each thread of each block is a coroutine, and which of them goes on is
// drawn again wherever it may matter. The same seed gives the same order, and a deadlock is found at once. The steps are those of
// the kernel (bench/device/cuda/walk.cuh).
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "bench/device/device.hpp"
#include "tests/plan/host_blocks.hpp"

namespace railgauge::test {

// Coroutines of one thread, of which one runs at a time.
class Coroutines {
 public:
  explicit Coroutines(std::uint32_t seed) : random(seed) {}
  Coroutines(const Coroutines&) = delete;
  Coroutines& operator=(const Coroutines&) = delete;

  void add(std::function<void()> body) {
    auto added = std::make_unique<Coroutine>();
    added->owner = this;
    added->body = std::move(body);
    all_.push_back(std::move(added));
  }
  // False when none of them can go on.
  bool run() {
    std::vector<Coroutine*> live;
    for (const auto& each : all_) {
      prepare(*each);
      live.push_back(each.get());
    }
    std::uint64_t last = progress, idle = 0;
    while (!live.empty()) {
      const std::size_t drawn = random() % live.size();
      current_ = live[drawn];
      swapcontext(&main_, &current_->context);
      if (current_->done) {
        live[drawn] = live.back();
        live.pop_back();
      }
      idle = progress == last ? idle + 1 : 0;
      last = progress;
      stuck = stuck || idle > most_idle;
    }
    return !stuck;
  }
  void pause() { swapcontext(&current_->context, &main_); }
  void may_pause() {
    if (random() % 2 == 0) pause();
  }

  std::minstd_rand random;
  std::uint64_t progress = 0;  // grows whenever something happened that others may wait for
  bool stuck = false;          // who waits gives up

 private:
  static constexpr std::size_t stack_bytes = 65536;
  static constexpr std::uint64_t most_idle = 200'000;  // far more turns than there are coroutines
  struct Coroutine {
    ucontext_t context{};
    std::vector<char> stack;
    std::function<void()> body;
    Coroutines* owner = nullptr;
    bool done = false;
  };
  // makecontext passes nothing but numbers: halves of an address.
  static void enter(unsigned high, unsigned low) {
    auto* const me = reinterpret_cast<Coroutine*>(std::uintptr_t{high} << 32 | low);
    me->body();
    me->done = true;
    ++me->owner->progress;
    me->owner->pause();
  }
  static void prepare(Coroutine& each) {
    each.stack.resize(stack_bytes);
    getcontext(&each.context);
    each.context.uc_stack.ss_sp = each.stack.data();
    each.context.uc_stack.ss_size = each.stack.size();
    const auto address = reinterpret_cast<std::uintptr_t>(&each);
    makecontext(&each.context, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
  }

  ucontext_t main_{};
  std::vector<std::unique_ptr<Coroutine>> all_;
  Coroutine* current_ = nullptr;
};

// A program of one rank and the blocks that run it.
class DrawnProgram {
 public:
  DrawnProgram(const StepProgram& program, Compute& compute, std::size_t unit, const BlockShape& shape, Coroutines& coroutines)
      : program_(program), compute_(compute), unit_(unit), shape_(shape), coroutines_(coroutines) {
    for (const LaneSteps& steps : program.lanes) {
      DrawnLane lane;
      lane.view = {steps.steps.data(), steps.steps.size(), steps.passed.data(), steps.passed.size(),
                   program.slots,      program.slot_words, program.slot_bits,   steps.joined};
      lane.blocks.resize(shape.blocks);
      lanes_.push_back(std::move(lane));
    }
  }
  void walk(std::size_t lane, unsigned block, unsigned thread) {
    Block mine(*this, lanes_[lane], block, thread);
    cuda::walk(lanes_[lane].view, mine);
  }

 private:
  struct BlockState {
    unsigned waiting = 0;
    std::uint64_t generation = 0;
  };
  struct DrawnLane {
    LaneView view;
    std::uint64_t arrived = 0;
    std::vector<BlockState> blocks;
  };

  class Block {
   public:
    Block(DrawnProgram& run, DrawnLane& lane, unsigned block, unsigned thread)
        : run_(run), turns_(run.coroutines_), lane_(lane), block_(block), thread_(thread), state_(lane.blocks[block]) {}
    [[nodiscard]] bool first() const { return block_ == 0; }
    [[nodiscard]] unsigned thread() const { return thread_; }
    [[nodiscard]] unsigned threads() const { return run_.shape_.threads; }
    void begin() const {}
    [[nodiscard]] bool failed() const { return turns_.stuck; }
    bool meet() {
      barrier();
      return !turns_.stuck;
    }
    void store(std::uint64_t* flag, std::uint64_t value) const {
      *flag = value;
      ++turns_.progress;
      turns_.may_pause();
    }
    [[nodiscard]] bool reached(const std::uint64_t* flag, std::uint64_t value) const {
      while (*flag < value) {
        if (turns_.stuck) return false;
        turns_.pause();
      }
      return true;
    }
    [[nodiscard]] static std::uint64_t look(const std::uint64_t* flag) { return *flag; }
    void fail(const DeviceStep&) const {}
    bool join() {
      barrier();
      if (thread_ == 0) {
        turns_.may_pause();
        const std::uint64_t ticket = lane_.arrived++;
        (void)reached(&lane_.arrived, (ticket / run_.shape_.blocks + 1) * run_.shape_.blocks);
      }
      return meet();
    }
    [[nodiscard]] unsigned team() const { return thread_; }
    [[nodiscard]] unsigned teams() const { return run_.shape_.threads; }
    [[nodiscard]] static bool leads() { return true; }
    static void meet_team() {}
    // One after the other, in any order of their places: each travels by itself.
    void put(const DeviceStep& step, std::uint64_t* to, std::uint32_t number) const {
      const std::uint32_t count = cuda::packets_of(step.bytes);
      const auto begin = static_cast<std::uint32_t>(turns_.random() % count);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t at = (begin + i) % count;
        to[at] = cuda::make_packet(step.source, step.bytes, at, number);
        ++turns_.progress;
        if (turns_.random() % 8 == 0) turns_.pause();
      }
    }
    [[nodiscard]] bool take(const DeviceStep& step, const std::uint64_t* from, std::uint32_t number) const {
      for (std::uint32_t i = 0; i < cuda::packets_of(step.bytes); ++i) {
        while (!cuda::is_of(from[i], number)) {
          if (turns_.stuck) return false;
          turns_.pause();
        }
        cuda::store_packet(step.target, step.bytes, i, from[i]);
      }
      return true;
    }
    void perform(std::uint32_t index) const {
      turns_.may_pause();
      perform_share(run_.program_, index, run_.compute_, run_.unit_, run_.shape_, block_, thread_, [this] {
        ++turns_.progress;
        turns_.may_pause();
      });
    }

   private:
    void barrier() const {
      const std::uint64_t generation = state_.generation;
      if (++state_.waiting == run_.shape_.threads) {
        state_.waiting = 0;
        ++state_.generation;
        ++turns_.progress;
        return;
      }
      while (state_.generation == generation && !turns_.stuck) turns_.pause();
    }

    DrawnProgram& run_;
    Coroutines& turns_;
    DrawnLane& lane_;
    unsigned block_, thread_;
    BlockState& state_;
  };

  const StepProgram& program_;
  Compute& compute_;
  std::size_t unit_;
  BlockShape shape_;
  Coroutines& coroutines_;
  std::vector<DrawnLane> lanes_;
};

}  // namespace railgauge::test

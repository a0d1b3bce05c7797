// The thread that advances what is in flight on all GPUs of a process, in an order drawn from the seed. One for all of them,
// since calls of the machine must not overlap.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/softgpu/engine/gpu.hpp"

namespace softgpu {

// Guards all of a process: GPUs, streams, events, captures, addresses, the machine.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<unsigned> callers{0};  // that want the lock: the engine makes way
};
using Lock = std::unique_lock<std::mutex>;

[[nodiscard]] inline Lock lock_of(Shared& shared) {
  ++shared.callers;
  Lock lock(shared.mutex);
  --shared.callers;
  return lock;
}

class Engine {
 public:
  Engine(const Config& config, Shared& shared, Machine& machine, std::vector<std::unique_ptr<Gpu>>& gpus);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

 private:
  void run();
  void make_way(Lock& lock);
  [[nodiscard]] std::size_t choose();
  void take_turn(std::size_t chosen);
  // Tells what was found since the last look, which ends the GPU's work, so that the program under test fails. Whether anything
  // was.
  bool tell_findings(Gpu& gpu);
  void fail(Gpu& gpu, Failure failure);
  void rest(Lock& lock, bool any_left);
  void look_for_deadlock(Turn turn);

  Config config_;
  Shared& shared_;
  Machine& machine_;
  std::vector<std::unique_ptr<Gpu>>& gpus_;
  Draw draw_;
  std::vector<SharedOp> running_;
  std::uint64_t turns_ = 0;
  std::vector<std::uint64_t> told_;  // of each finding: how many times it had been found
  std::size_t waiting_ = 0;          // turns in a row in which nothing moved
  Op::Time waiting_since_{};
  bool ended_something_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace softgpu

// A stream: operations in order, at most so many, in one of the hardware queues of its GPU.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "tests/softgpu/engine/work.hpp"

namespace softgpu {

class Gpu;
struct Capture;

// Everything here is guarded by the lock of the process.
class Stream {
 public:
  enum class Kind : std::uint8_t {
    legacy,        // cudaStreamLegacy: waits for the blocking ones, and they for it
    blocking,      // cudaStreamCreate
    non_blocking,  // cudaStreamNonBlocking
  };

  Stream(Gpu& gpu, Kind kind, unsigned queue, World& world) : actor(world), gpu_(gpu), kind_(kind), queue_(queue) {}

  [[nodiscard]] Gpu& gpu() const { return gpu_; }
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] unsigned queue() const { return queue_; }

  Actor actor;
  std::deque<SharedOp> pending;  // the first is the one that runs, or is to run next
  SharedOp last;                 // that was put into it
  std::shared_ptr<Capture> capture;
  std::uint64_t weight = 1;  // of its turns beside other streams'
  bool destroyed = false;    // it goes when it is empty

 private:
  Gpu& gpu_;
  Kind kind_;
  unsigned queue_;
};

}  // namespace softgpu

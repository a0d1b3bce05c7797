// What is put into streams: work, and its place among other work.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/softgpu/engine/draw.hpp"
#include "tests/softgpu/machine/order.hpp"

namespace softgpu {

// What ends everything of a GPU for this process: told to every later call (a sticky error).
struct Failure {
  cudaError_t code;
  std::string sentence;
};

enum class Turn : std::uint8_t {
  over,  // nothing is left of it
  advanced,
  waiting,  // for memory that somebody else is to change, or for the host
};

// One copy, kernel, wait... The engine advances it in slices, with the lock of the process held. May throw Failure.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  // Whether it may begin, asked again and again: what may not keeps its hardware queue waiting.
  [[nodiscard]] virtual bool can_begin() { return true; }
  // In the name of the actor, which is that of its stream.
  [[nodiscard]] virtual Turn advance(Actor& actor, Draw& draw) = 0;
  // It runs while nothing moves: whether it is part of a deadlock, of which it tells what it waits for, and ends.
  [[nodiscard]] virtual bool give_up() { return false; }
};

// Makes the work, once for each time that a graph is launched.
using Make = std::function<std::unique_ptr<Work>()>;

class Stream;

// Work in a stream.
struct Op {
  using Time = std::chrono::steady_clock::time_point;

  Stream* stream = nullptr;
  std::unique_ptr<Work> work;
  std::vector<std::shared_ptr<Op>> after;  // of other streams
  Knowledge told;                          // what the host knew when it put it in
  Knowledge left;                          // what its stream knew when it was over
  Time not_before{}, ended{};
  bool done = false;
  unsigned overlooked = 0;  // how often the host asked and was told "not yet" though it was done
};
using SharedOp = std::shared_ptr<Op>;

}  // namespace softgpu

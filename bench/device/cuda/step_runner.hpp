// Programs of steps on a GPU: uploaded once, launched again and again.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/words.hpp"
#include "bench/device/steps.hpp"

namespace railgauge::cuda {

// What host and kernels tell each other, in memory of the host that both can touch. `stop` is set by either.
struct StepControl {
  std::uint32_t stop = 0, gave_up = 0;
  GivenUp what;
};

// What all runners of one device share: a wait that is ended is ended for all of them, since each may wait behind another.
class StepRunners {
 public:
  // On the current device, whose number it is. `idle`: whether nothing is in flight in any stream of it, since what frees memory
  // waits for all of them. Throws Error(usage).
  StepRunners(int number, std::function<bool()> idle);
  ~StepRunners();
  StepRunners(const StepRunners&) = delete;
  StepRunners& operator=(const StepRunners&) = delete;

  [[nodiscard]] StepControl& control() { return *control_; }
  // Whether nothing is in flight. What is, is told to stop, and is given a few seconds once.
  [[nodiscard]] bool empty() noexcept;
  // A runner begins to use it, and ends: whether nothing is in flight then, as of empty().
  void enter() noexcept { ++runners_; }
  [[nodiscard]] bool leave() noexcept;

 private:
  std::function<bool()> idle_;
  StepControl* control_ = nullptr;
  std::size_t runners_ = 0;
  bool hangs_ = false;  // it was given its seconds in vain
};

// Runs are put into `stream`. Throws Error(usage) when the device has no room for a block of each lane.
[[nodiscard]] std::unique_ptr<StepRunner> make_step_runner(const StepProgram& program, Type type, Op op, int number,
                                                           int multiprocessors, cudaStream_t stream,
                                                           std::shared_ptr<StepRunners> runners);

}  // namespace railgauge::cuda

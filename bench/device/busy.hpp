// Kernels that keep a device busy for as long as they are told, in place of the computations of a training step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace railgauge {

class BusyKernel {
 public:
  virtual ~BusyKernel() = default;
  // Enqueues one kernel of so many passes, which take equally long, over numbers in memory of the device. Never waits. Throws
  // Error(lost).
  virtual void enqueue(std::uint64_t passes) = 0;
  // Whether the last one is done. Never waits. Throws Error(lost).
  [[nodiscard]] virtual bool done() = 0;
};

// A Device with such kernels, and with several queues (bench/device/queues.hpp), also derives from this class.
class BusyKernels {
 public:
  virtual ~BusyKernels() = default;
  // In the queue of `lane`. The device outlives the answer. Throws Error(usage).
  [[nodiscard]] virtual std::unique_ptr<BusyKernel> make_busy_kernel(std::size_t lane) = 0;
};

}  // namespace railgauge

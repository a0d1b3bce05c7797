// Work in a stream between two events, which is held back until all of it is there: the time between them is that of the work
// alone.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>
#include <memory>

#include "base/units.hpp"
#include "bench/device/cuda/handles.hpp"

namespace railgauge::cuda {

// Holds back the stream whose function waits for it (cudaLaunchHostFunc), until it is opened.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void close() { open_.store(false, std::memory_order_relaxed); }
  void open() { open_.store(true, std::memory_order_release); }
  // Called by the driver's thread. A host that never opens it does not hold the stream for ever.
  static void await_open(void* gate);

 private:
  std::atomic<bool> open_{true};
};

class TimedRun {
 public:
  // On device `number`, which is the current one. Throws Error(usage).
  void prepare(int number);
  // `put` puts the work into the stream, or into others that wait for begin() and that this one waits for in the end. Throws
  // Error(lost), or what `put` throws.
  void start(cudaStream_t stream, const std::function<void()>& put);
  [[nodiscard]] cudaEvent_t begin() const { return begin_.get(); }
  // Whether it is over. Throws Error(lost).
  bool test();
  // That the last one took. Throws Error(lost).
  [[nodiscard]] Seconds time() const;
  // Lets go what is held back; whether something may still be in flight.
  [[nodiscard]] bool part() noexcept {
    gate_.open();
    return running_;
  }

 private:
  int device_ = 0;
  Gate gate_;
  Event begin_, end_;
  bool running_ = false;
};

// Owns a TimedRun `run` with all that it works on. To free what is in flight would wait for it, however long: what is so when a
// run fails stays until the process ends.
template <class Parts>
class Lasting {
 public:
  Lasting() = default;
  Lasting(const Lasting&) = delete;
  Lasting& operator=(const Lasting&) = delete;
  ~Lasting() {
    if (parts_->run.part()) (void)parts_.release();
  }
  [[nodiscard]] Parts* operator->() const { return parts_.get(); }

 private:
  std::unique_ptr<Parts> parts_ = std::make_unique<Parts>();
};

}  // namespace railgauge::cuda

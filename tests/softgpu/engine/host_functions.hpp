// Functions that streams call in the host (cudaLaunchHostFunc): one after the other, whatever their streams, as CUDA may.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace softgpu {

class HostFunctions {
 public:
  HostFunctions();
  HostFunctions(const HostFunctions&) = delete;
  HostFunctions& operator=(const HostFunctions&) = delete;

  // Becomes true when the function has returned.
  std::shared_ptr<std::atomic<bool>> run(void (*function)(void*), void* argument);
  // Whether this thread is within such a function, in which no call of CUDA is permitted.
  [[nodiscard]] static bool is_within() noexcept;

 private:
  struct Call {
    void (*function)(void*);
    void* argument;
    std::shared_ptr<std::atomic<bool>> done;
  };
  // Outlives this object: a function may never return.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Call> calls;
  };
  static void serve(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace softgpu

// Stacks that threads of a block run on, and the change from one to another. One stack a thread rather than a resumable function:
// the compiler keeps registers of the PTX in those of the CPU from one barrier to the next, and threads that never wait
// need one stack, which is used again by the next.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace softgpu {

// Saves the callee's registers on this stack and its end in `from`; goes on where `to` was left.
extern "C" void softgpu_switch(void** from, void* to);

// Those of the process, by any of its threads. They are kept: to map stacks anew for each kernel takes longer than what most
// kernels do.
class Stacks {
 public:
  static constexpr std::size_t bytes = 64 << 10;

  [[nodiscard]] static Stacks& of_process();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // The lowest address of a stack.
  [[nodiscard]] std::byte* take();
  void give_back(std::byte* stack);
  // What softgpu_switch goes to so that `run(argument)` begins there. It must never return.
  [[nodiscard]] static void* begin(std::byte* stack, void (*run)(void*), void* argument);

 private:
  Stacks() = default;

  std::mutex lock_;
  std::vector<std::byte*> free_;
};

}  // namespace softgpu

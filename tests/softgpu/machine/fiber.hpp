// Stacks that threads of a block run on, and the change from one to another. One stack a thread rather than a resumable function:
// the compiler keeps registers of the PTX in those of the CPU from one barrier to the next, and threads that never wait
// need one stack, which is used again by the next.
#pragma once

#include <cstddef>
#include <vector>

namespace softgpu {

// Saves the callee's registers on this stack and its end in `from`; goes on where `to` was left.
extern "C" void softgpu_switch(void** from, void* to);

class Stacks {
 public:
  static constexpr std::size_t bytes = 64 << 10;

  Stacks() = default;
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // The lowest address of a stack.
  [[nodiscard]] std::byte* take();
  void give_back(std::byte* stack) { free_.push_back(stack); }
  // What softgpu_switch goes to so that `run(argument)` begins there. It must never return.
  [[nodiscard]] static void* begin(std::byte* stack, void (*run)(void*), void* argument);

 private:
  std::vector<std::byte*> free_, slabs_;
};

}  // namespace softgpu

#include "tests/softgpu/machine/fiber.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#ifndef __x86_64__
#error "softgpu changes stacks on x86-64 alone"
#endif

// The first two arguments are in rdi and rsi. A new stack has the function in r12 and its argument in r13.
asm(R"(
.text
.globl softgpu_switch
.type softgpu_switch, @function
softgpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size softgpu_switch, .-softgpu_switch
.globl softgpu_begin
.hidden softgpu_begin
.type softgpu_begin, @function
softgpu_begin:
  movq %r13, %rdi
  callq *%r12
  ud2
.size softgpu_begin, .-softgpu_begin
)");

extern "C" void softgpu_begin();

namespace softgpu {
namespace {

constexpr std::size_t stacks_of_slab = 64;

}  // namespace

Stacks& Stacks::of_process() {
  static auto* const stacks = new Stacks;  // kernels may run until the process ends
  return *stacks;
}

std::byte* Stacks::take() {
  const std::lock_guard guard(lock_);
  if (free_.empty()) {
    void* const slab =
        mmap(nullptr, stacks_of_slab * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap of stacks");
    for (std::size_t i = stacks_of_slab; i-- > 0;) free_.push_back(static_cast<std::byte*>(slab) + i * bytes);
  }
  std::byte* const stack = free_.back();
  free_.pop_back();
  return stack;
}

void Stacks::give_back(std::byte* stack) {
  const std::lock_guard guard(lock_);
  free_.push_back(stack);
}

void* Stacks::begin(std::byte* stack, void (*run)(void*), void* argument) {
  // Not all at the same place within their pages, which would then meet in the same sets of the caches.
  const std::size_t colour = (reinterpret_cast<std::uintptr_t>(stack) / bytes) % 32 * 64;
  auto* top = reinterpret_cast<std::uint64_t*>(stack + bytes - colour);
  *--top = 0;
  *--top = 0;  // what is above the return address is at a multiple of 16
  *--top = reinterpret_cast<std::uint64_t>(&softgpu_begin);
  *--top = 0;                                          // rbp
  *--top = 0;                                          // rbx
  *--top = reinterpret_cast<std::uint64_t>(run);       // r12
  *--top = reinterpret_cast<std::uint64_t>(argument);  // r13
  *--top = 0;                                          // r14
  *--top = 0;                                          // r15
  return top;
}

}  // namespace softgpu

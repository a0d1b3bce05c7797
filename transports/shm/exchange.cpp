// Posts rounds, and copies what lies ready.
#include "transports/shm/exchange.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.hpp"

namespace railgauge::shm {

void ShmExchange::post(std::size_t round) {
  if (round == 0) ++run_;
  RoundWork& work = prepared_.rounds[round];
  for (const RoundWork::Count& send : work.sends) {
    const Direction& to = prepared_.outgoing[send.direction];
    to.ready->store(run_ * to.messages + send.count, std::memory_order_release);
  }
  for (RoundWork::Burst& burst : work.bursts) burst.next = burst.first;
}

bool ShmExchange::test(std::size_t round) {
  RoundWork& work = prepared_.rounds[round];
  bool complete = true;
  for (RoundWork::Burst& burst : work.bursts) complete = advance(burst) && complete;
  for (const RoundWork::Count& send : work.sends) {
    const Direction& to = prepared_.outgoing[send.direction];
    if (to.taken->load(std::memory_order_acquire) < run_ * to.messages + send.count) complete = false;
  }
  if (!complete) group_.check();
  return complete;
}

// Takes what lies ready of the burst, in order; true when all is taken.
bool ShmExchange::advance(RoundWork::Burst& burst) {
  if (burst.next == burst.last) return true;
  const Direction& from = prepared_.incoming[burst.direction];
  const std::uint64_t start = run_ * from.messages + burst.before;
  const std::uint64_t ready = from.ready->load(std::memory_order_acquire);
  const std::size_t before = burst.next;
  for (; burst.next != burst.last && start + (burst.next - burst.first) < ready; ++burst.next)
    from.times > 1 ? read_slowly(from, prepared_.blocks[burst.next]) : read(from, prepared_.blocks[burst.next]);
  if (burst.next != before) from.taken->store(start + (burst.next - burst.first), std::memory_order_release);
  return burst.next == burst.last;
}

// Waits in proportion to what the copy took, however large the block is and whatever else the host does.
void ShmExchange::read_slowly(const Direction& from, const Block& block) const {
  const auto begin = std::chrono::steady_clock::now();
  read(from, block);
  const auto wanted = from.times * (std::chrono::steady_clock::now() - begin);
  while (std::chrono::steady_clock::now() - begin < wanted) {}
}

// By number: the address sanitizer of g++ 14 takes the arguments of the C library's process_vm_readv for others and crashes. Each
// argument is as wide as a register: the kernel reads all of it, and of a narrower one the rest is whatever was there.
void ShmExchange::read(const Direction& from, const Block& block) const {
  if (block.bytes == 0) return;
  if (!block.through_kernel) {
    std::memcpy(block.target, block.source, block.bytes);
    return;
  }
  for (std::size_t done = 0; done < block.bytes;) {
    const iovec here{block.target + done, block.bytes - done};
    const iovec there{const_cast<std::byte*>(block.source) + done, block.bytes - done};
    const long got = syscall(SYS_process_vm_readv, static_cast<long>(from.process), &here, 1UL, &there, 1UL, 0UL);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else {
      group_.check();
      const int error = got == 0 ? EFAULT : errno;
      throw Error(
          error == EPERM ? Fault::usage : Fault::lost,
          fmt::format("process_vm_readv of {} bytes from rank {} (process {}): {}{}", block.bytes, from.peer, from.process,
                      std::strerror(error),
                      error == EPERM ? "; the kernel must allow ranks to read each other (kernel.yama.ptrace_scope)" : ""));
    }
  }
}

}  // namespace railgauge::shm

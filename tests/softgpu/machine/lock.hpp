// A lock of one word in memory that processes share.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace softgpu {

// Holds it as long as it lives. A process that died with it does not stop the others: they take it after a long while.
template <class Word>
class SpinLock {
 public:
  // Null: there is nobody to lock out.
  explicit SpinLock(std::atomic<Word>* word) : word_(word) {
    if (word_ == nullptr) return;
    constexpr std::uint32_t long_while = 20'000'000, before_yield = 64;
    for (std::uint32_t tries = 1; word_->exchange(1, std::memory_order_acquire) != 0 && tries < long_while; ++tries)
      if (tries % before_yield == 0) std::this_thread::yield();
  }
  ~SpinLock() {
    if (word_ != nullptr) word_->store(0, std::memory_order_release);
  }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

 private:
  std::atomic<Word>* word_;
};

}  // namespace softgpu

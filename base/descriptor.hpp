// A file descriptor with one owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace railgauge {

// Owns the descriptor and closes it; -1: no descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { (void)close(); }
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
  // Closes it once. Returns what close(2) returns; 0 where there is no descriptor.
  int close() noexcept { return number_ < 0 ? 0 : ::close(release()); }

 private:
  int number_ = -1;
};

}  // namespace railgauge

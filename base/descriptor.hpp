// A file descriptor with one owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace railgauge {

// -1 is none.
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
  // Once; what the system says of it, 0 where there is none.
  int close() noexcept { return number_ < 0 ? 0 : ::close(release()); }

 private:
  int number_ = -1;
};

}  // namespace railgauge

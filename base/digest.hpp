// A number that differs where what was added does, but for chance: to tell whether two ranks have the same.
#pragma once

#include <cstdint>

namespace railgauge {

// In the manner of FNV-1a, with words of 64 bits and another mixing. The order of the words counts.
class Digest {
 public:
  constexpr void add(std::uint64_t word) noexcept { value_ = ((value_ ^ word) * 0x100000001b3U) ^ (value_ >> 29); }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace railgauge

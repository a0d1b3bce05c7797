// Arrays of the tests of kernels: sources and targets of every shape and alignment, between guards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bench/device/device.hpp"
#include "tests/device/reference.hpp"

namespace railgauge::test {

inline constexpr std::size_t guard = 192;  // bytes before and behind a buffer that must stay as they are
inline constexpr std::byte untouched{0xa5};

struct Shape {
  std::size_t sources;
  std::size_t targets;
  int in_place;  // this source is the first target; none when negative
};
inline constexpr Shape shapes[] = {{1, 1, -1}, {1, 2, -1}, {2, 1, -1}, {2, 1, 0}, {2, 1, 1},
                                   {2, 2, -1}, {2, 2, 1},  {3, 1, -1}, {5, 3, 2}, {9, 1, -1}};

// Sources and targets in one buffer, each `offset` bytes beyond a multiple of 64, each with guards.
class Buffers {
 public:
  Buffers(Type type, std::size_t elements, const Shape& shape, std::size_t offset, std::mt19937_64& random)
      : bytes_(elements * bytes_of(type)), stride_((bytes_ + 2 * guard + 128) / 64 * 64) {
    memory_.assign((shape.sources + shape.targets) * stride_ + 64, untouched);
    aligned_ = memory_.data() + (0 - reinterpret_cast<std::uintptr_t>(memory_.data())) % 64;
    for (std::size_t i = 0; i < shape.sources + shape.targets; ++i) {
      const Bytes bytes(aligned_ + i * stride_ + guard + offset % 64, bytes_);
      if (i < shape.sources) {
        fill_randomly(type, bytes, random);
        sources.emplace_back(bytes);
        if (static_cast<int>(i) == shape.in_place) targets.push_back(bytes);
      } else if (targets.size() < shape.targets) {
        targets.push_back(bytes);
      }
    }
  }

  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  // All of it, from a multiple of 64 on: sources, targets and guards.
  [[nodiscard]] Bytes image() const { return {aligned_, static_cast<std::size_t>(memory_.data() + memory_.size() - aligned_)}; }

  // Nothing was written but the targets.
  [[nodiscard]] bool guarded() const {
    std::vector<bool> ours(memory_.size(), false);
    const auto mark = [&](const std::byte* first) {
      for (std::size_t i = 0; i < bytes_; ++i) ours[static_cast<std::size_t>(first - memory_.data()) + i] = true;
    };
    for (const ConstBytes& source : sources) mark(source.data());
    for (const Bytes& target : targets) mark(target.data());
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!ours[i] && memory_[i] != untouched) return false;
    }
    return true;
  }

  std::vector<ConstBytes> sources;
  std::vector<Bytes> targets;

 private:
  std::size_t bytes_;
  std::size_t stride_;
  std::vector<std::byte> memory_;
  std::byte* aligned_ = nullptr;
};

inline constexpr double factors[] = {0.5, -3.0, 1.0, 1e-3, 2.9, 7.0, -0.25, 1e6, 3.0};

inline Scale scale_of(Op op, std::size_t sources, std::size_t elements) {
  if (op == Op::premulsum) return {.factors = std::span(factors).first(sources)};
  if (op == Op::avg) return {.factors = {}, .divisor = static_cast<std::uint32_t>(elements % 2 == 0 ? 3 : 4'000'000'007)};
  return {};
}

}  // namespace railgauge::test

// How an array is cut into words of 16 bytes, which a GPU moves at once, and the elements before and behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/device/device.hpp"

namespace railgauge::cuda {

inline constexpr std::size_t word_bytes = 16;

// Elements [0, head) and [head + words * per_word, elements) go one by one, what is between them by words.
struct Partition {
  std::size_t elements = 0;
  std::size_t head = 0;
  std::size_t words = 0;
};

// `element_bytes` is a power of two up to 16, and divides the size. There are words only where all arrays lie alike: each begins
// as many whole elements before a multiple of 16 bytes.
[[nodiscard]] inline Partition partition(std::span<const ConstBytes> sources, std::span<const Bytes> targets,
                                         std::size_t element_bytes) {
  Partition cut;
  cut.elements = targets[0].size() / element_bytes;
  cut.head = cut.elements;
  const auto place = [](const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address) % word_bytes; };
  const std::uintptr_t begin = place(targets[0].data());
  for (const Bytes& target : targets)
    if (place(target.data()) != begin) return cut;
  for (const ConstBytes& source : sources)
    if (place(source.data()) != begin) return cut;
  const std::size_t before = (word_bytes - begin) % word_bytes;
  if (before % element_bytes != 0 || before / element_bytes > cut.elements) return cut;
  cut.head = before / element_bytes;
  cut.words = (cut.elements - cut.head) / (word_bytes / element_bytes);
  return cut;
}

}  // namespace railgauge::cuda

// How an array is cut into words of 16 bytes, which a GPU moves at once, and the elements before and behind them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/device/device.hpp"

namespace railgauge::cuda {

inline constexpr std::size_t word_bytes = 16;

// Elements [0, head) and [head + words * per_word, elements) go one by one, what is between them by words. Words are whole ones
// of memory in at least one target; where not in all arrays, `shifted`: they are read as the two words of memory that they lie
// in, all of which belong to the array, and written by parts (shifted.cuh).
struct Partition {
  std::size_t elements = 0;
  std::size_t head = 0;
  std::size_t words = 0;
  bool shifted = false;
};

namespace parts {

[[nodiscard]] inline std::size_t place(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % word_bytes;
}

[[nodiscard]] inline bool overlap(const ConstBytes& a, const Bytes& b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

// With words that begin where those of memory do at `begin`. Nothing where a source that is shifted would be written to while it
// is read beside the element that is asked for.
[[nodiscard]] inline Partition cut_at(std::size_t begin, std::span<const ConstBytes> sources, std::span<const Bytes> targets,
                                      std::size_t element_bytes) {
  const std::size_t bytes = targets[0].size(), elements = bytes / element_bytes;
  const Partition one_by_one{.elements = elements, .head = elements};
  std::size_t before = (word_bytes - begin) % word_bytes, behind = 0;
  bool shifted = false;
  for (const Bytes& target : targets) shifted = shifted || place(target.data()) != begin;
  for (const ConstBytes& source : sources) {
    if (place(source.data()) == begin) continue;
    if (std::ranges::any_of(targets, [&](const Bytes& target) { return overlap(source, target); })) return one_by_one;
    shifted = true;
    const std::size_t shift = (place(source.data()) + word_bytes - begin) % word_bytes;
    if (before < shift) before += word_bytes;
    behind = std::max(behind, word_bytes - shift);
  }
  if (before + behind > bytes) return one_by_one;
  const std::size_t words = (bytes - before - behind) / word_bytes;
  return {.elements = elements,
          .head = words == 0 ? elements : before / element_bytes,
          .words = words,
          .shifted = shifted && words > 0};
}

}  // namespace parts

// `element_bytes` is a power of two up to 16, and divides the size. Arrays that do not begin at a multiple of it have no words.
[[nodiscard]] inline Partition partition(std::span<const ConstBytes> sources, std::span<const Bytes> targets,
                                         std::size_t element_bytes) {
  const std::size_t elements = targets[0].size() / element_bytes;
  Partition cut{.elements = elements, .head = elements};
  const auto straddles = [&](const auto& array) { return parts::place(array.data()) % element_bytes != 0; };
  if (std::ranges::any_of(sources, straddles) || std::ranges::any_of(targets, straddles)) return cut;
  for (const Bytes& target : targets) {
    cut = parts::cut_at(parts::place(target.data()), sources, targets, element_bytes);
    if (cut.words != 0) break;
  }
  return cut;
}

}  // namespace railgauge::cuda

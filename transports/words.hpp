// Converts between messages of set-up and 64-bit numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "transports/group.hpp"

namespace railgauge {

[[nodiscard]] inline Blob to_blob(std::span<const std::uint64_t> words) {
  Blob blob(words.size_bytes());
  if (!words.empty()) std::memcpy(blob.data(), words.data(), words.size_bytes());
  return blob;
}

// Ignores trailing bytes that fill no 64-bit number.
[[nodiscard]] inline std::vector<std::uint64_t> to_words(const Blob& blob) {
  std::vector<std::uint64_t> words(blob.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), blob.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

}  // namespace railgauge

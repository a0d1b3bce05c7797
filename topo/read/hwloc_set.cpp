// Sets as words of 32 bits.
#include "topo/read/hwloc_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>

namespace railgauge::topo {

HwlocSet::HwlocSet(std::string_view text) {
  if (text.starts_with("0xf...f")) text.remove_prefix(std::min(text.size(), std::string_view("0xf...f,").size()));
  while (!text.empty()) {
    const std::size_t comma = text.rfind(',');
    std::string_view word = comma == std::string_view::npos ? text : text.substr(comma + 1);
    if (word.starts_with("0x")) word.remove_prefix(2);
    std::uint32_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number, 16);
    words_.push_back(number);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(0, comma);
  }
  trim();
}

void HwlocSet::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

std::size_t HwlocSet::size() const {
  std::size_t members = 0;
  for (const std::uint32_t word : words_) members += static_cast<std::size_t>(std::popcount(word));
  return members;
}

std::uint64_t HwlocSet::first() const {
  for (std::size_t word = 0; word < words_.size(); ++word)
    if (words_[word] != 0) return word * 32 + static_cast<std::uint64_t>(std::countr_zero(words_[word]));
  return 0;
}

bool HwlocSet::inside(const HwlocSet& other) const {
  if (words_.size() > other.words_.size()) return false;
  for (std::size_t word = 0; word < words_.size(); ++word)
    if ((words_[word] & ~other.words_[word]) != 0) return false;
  return true;
}

void HwlocSet::keep(const HwlocSet& other) {
  words_.resize(std::min(words_.size(), other.words_.size()));
  for (std::size_t word = 0; word < words_.size(); ++word) words_[word] &= other.words_[word];
  trim();
}

std::string HwlocSet::list() const {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;  // of the run at hand, one behind its last
  const auto close = [&] {
    if (end == begin) return;
    if (!text.empty()) text += ',';
    fmt::format_to(std::back_inserter(text), "{}", begin);
    if (end - begin > 1) fmt::format_to(std::back_inserter(text), "-{}", end - 1);
  };
  each([&](std::size_t bit) {
    if (bit != end || end == begin) {
      close();
      begin = bit;
    }
    end = bit + 1;
  });
  close();
  return text;
}

}  // namespace railgauge::topo

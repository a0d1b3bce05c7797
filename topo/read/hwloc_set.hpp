// A set of processors or memory nodes in the notation of hwloc XML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

class HwlocSet {
 public:
  HwlocSet() = default;
  // "0x3,,0xffffffff": words of 32 bits, the highest first, empty for 0. A prefix "0xf...f", hwloc's notation for an infinite
  // set, is ignored, so that such a set has only its explicit words. Accepts any text; a word that is no number is 0.
  explicit HwlocSet(std::string_view text);

  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] std::size_t size() const;                  // members
  [[nodiscard]] std::uint64_t first() const;               // the smallest member; 0 when the set is empty
  [[nodiscard]] bool inside(const HwlocSet& other) const;  // whether this is a subset of `other`
  void keep(const HwlocSet& other);                        // removes members that are not in `other`
  [[nodiscard]] std::string list() const;                  // "0-3,8"
  bool operator==(const HwlocSet&) const = default;

  // Calls visit(member) for each member, the smallest first.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (std::uint32_t left = words_[word]; left != 0; left &= left - 1)
        visit(word * 32 + static_cast<std::size_t>(__builtin_ctz(left)));
  }

 private:
  void trim();
  std::vector<std::uint32_t> words_;  // the lowest first; the last is not 0
};

}  // namespace railgauge::topo

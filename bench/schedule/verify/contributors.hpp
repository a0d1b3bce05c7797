// Sets of ranks that a value holds the contributions of, each known by a number, so that a cell is eight bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace railgauge {

class Contributors {
 public:
  using Set = std::uint32_t;

  explicit Contributors(std::int32_t ranks);

  [[nodiscard]] static Set only(std::int32_t rank) { return static_cast<Set>(rank); }
  [[nodiscard]] Set all() const { return all_; }
  [[nodiscard]] std::size_t size() const { return sets_.size(); }  // how many sets there are
  // Nothing when they have a rank in common.
  [[nodiscard]] std::optional<Set> disjoint_union(Set a, Set b);
  [[nodiscard]] bool has(Set set, std::int32_t rank) const;
  // "ranks 0, 3 and 4" and the like; long sets are cut.
  [[nodiscard]] std::string text(Set set) const;

 private:
  using Bits = std::vector<std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Bits& bits) const;
  };
  Set number_of(const Bits& bits);

  std::vector<Bits> sets_;
  std::unordered_map<Bits, Set, Hash> numbers_;
  std::unordered_map<std::uint64_t, std::optional<Set>> unions_;  // by the two numbers
  std::uint64_t latest_key_ = 0;                                  // the union asked for last, and its answer
  std::optional<Set> latest_;
  bool has_latest_ = false;
  Set all_ = 0;
};

}  // namespace railgauge

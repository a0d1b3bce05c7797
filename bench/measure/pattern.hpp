// The data of the check: inputs whose reduction is exact in any order and any association, and the expected results.
// docs/measuring.md explains the data of each operation, and the limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "bench/device/device.hpp"

namespace railgauge {

// The source of a range of elements.
struct Source {
  enum class Kind : std::uint8_t {
    input,    // what rank `number` gives to a reduction
    reduced,  // what the reduction over all ranks is
    bits,     // random bits of sender `number`, for what is only moved
  };
  Kind kind = Kind::bits;
  std::uint64_t number = 0;
  friend bool operator==(const Source&, const Source&) = default;
};

// The elements of one type, operation and number of ranks. Every element follows from (seed, source, index) alone.
class Pattern {
 public:
  Pattern(Type type, Op op, int ranks);

  // Writes elements [first, first + target.size() / bytes_of(type)) of the source.
  void fill(Bytes target, Source source, std::uint64_t first, std::uint64_t seed) const;

  struct Difference {
    std::uint64_t index = 0;  // the first wrong element, counted from the start of `got`
    std::uint64_t wrong = 0;  // how many are
  };
  // Bit for bit. Nothing when all elements are right.
  [[nodiscard]] std::optional<Difference> compare(ConstBytes got, Source source, std::uint64_t first, std::uint64_t seed) const;

  [[nodiscard]] Type type() const { return type_; }

 private:
  void generate(std::byte* target, Source source, std::uint64_t number, std::uint64_t seed) const;

  Type type_;
  Op op_;
  int ranks_;
  std::uint64_t forced_ = 0;           // bits set in every element, so that no rank gives nothing
  std::vector<std::uint32_t> shares_;  // which part of an element the rank at a position gives; types of up to 4 bytes
  std::vector<std::uint64_t> wide_shares_;
};

// A number as people write it, and its bits: "1.5 (0x3fc00000)".
[[nodiscard]] std::string element_text(Type type, const std::byte* address);

}  // namespace railgauge

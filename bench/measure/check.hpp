// Fills a rank's input, poisons its output and says afterwards which elements of the output are wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "bench/device/device.hpp"
#include "bench/measure/pattern.hpp"
#include "bench/schedule/layout.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// Wrong data: never a warning.
struct Mistake {
  int rank = 0;
  std::uint64_t index = 0;    // of the first wrong element, counted from the start of this rank's output
  std::string expected, got;  // that element, as element_text() writes it
  std::uint64_t wrong = 0;    // wrong elements in all
};

// "rank 3 has 17 wrong elements; the first is element 42 of its output: expected 1.5 (0x3fc00000), got 0 (0x00000000)"
[[nodiscard]] std::string sentence(const Mistake& mistake);

// The seed of a buffer set's data. A new one for each set, and for each time that it is filled anew (`epoch`), so that what was
// left of another set or of an earlier run is wrong here. All ranks count both alike.
[[nodiscard]] std::uint64_t seed_of(std::uint64_t seed, std::uint64_t set, std::uint64_t epoch) noexcept;

// Whether an operation can run again on the same memory with the same result: not where its output lies on its input.
[[nodiscard]] constexpr bool repeatable(bool in_place) noexcept { return !in_place; }

// One rank's part of the check of one collective. Its memory is as the Layout has it, in elements, in host memory.
class Check {
 public:
  Check(Collective collective, Type type, Op op, const Shape& shape, const Layout& layout);

  // Poisons all of `memory` (every bit set: no number of any floating-point type) and fills the input. Throws std::length_error
  // when `memory` is smaller than the layout.
  void restore(Bytes memory, std::uint64_t seed) const;

  // Compares the output, bit for bit. Nothing when it is right, or when this rank has none.
  [[nodiscard]] std::optional<Mistake> check(ConstBytes memory, std::uint64_t seed) const;

  // Elements of the output that are compared.
  [[nodiscard]] std::uint64_t checked() const;

 private:
  // A run of elements of one source.
  struct Piece {
    Range range;
    Source source;
    std::uint64_t first = 0;  // which element of the source the run begins with
  };

  Pattern pattern_;
  int rank_;
  std::size_t element_bytes_;
  std::size_t size_, output_begin_;
  std::vector<Piece> input_, output_;
};

}  // namespace railgauge

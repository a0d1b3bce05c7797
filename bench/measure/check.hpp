// Fills a rank's input, poisons its output, and finds wrong elements of the output afterwards.
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

// Wrong data: always an error, never a warning.
struct Mistake {
  int rank = 0;
  std::uint64_t index = 0;    // of the first wrong element, counted from the start of this rank's output
  std::string expected, got;  // that element, as element_text() writes it
  std::uint64_t wrong = 0;    // wrong elements in all
};

// "rank 3 has 17 wrong elements; the first is element 42 of its output: expected 1.5 (0x3fc00000), got 0 (0x00000000)"
[[nodiscard]] std::string sentence(const Mistake& mistake);

// The seed of a buffer set's data: another for each set and each refill (`epoch`), so that leftovers of another set or of an
// earlier run are wrong. Both must be the same on all ranks.
[[nodiscard]] std::uint64_t seed_of(std::uint64_t seed, std::uint64_t set, std::uint64_t epoch) noexcept;

// Whether an operation can run again on the same memory with the same result: false where its output overwrites its input.
[[nodiscard]] constexpr bool repeatable(bool in_place) noexcept { return !in_place; }

// One rank's part of the check of one collective. Its memory is as the Layout has it, in elements, in host memory.
class Check {
 public:
  Check(Collective collective, Type type, Op op, const Shape& shape, const Layout& layout);

  // Poisons all of `memory` (every bit set: no number of any floating-point type) and fills the input. Throws std::length_error
  // when `memory` is smaller than the layout.
  void restore(Bytes memory, std::uint64_t seed) const;

  // Compares the output, bit for bit. Nothing when it is right, or when this rank has no output.
  [[nodiscard]] std::optional<Mistake> check(ConstBytes memory, std::uint64_t seed) const;

  // The number of elements that check() compares.
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

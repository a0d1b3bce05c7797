// What a collective means: which data each rank holds before, and which each must hold after, in symbolic units.
#pragma once

#include <cstdint>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/layout.hpp"
#include "bench/schedule/verify/contributors.hpp"
#include "bench/schedule/verify/verify.hpp"

namespace railgauge {

// One unit of memory: which element of the collective's data it is, and whose contributions are reduced in it.
struct Cell {
  static constexpr std::uint32_t undefined = ~std::uint32_t{0};
  std::uint32_t element = undefined;
  Contributors::Set contributors = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

class Meaning {
 public:
  // `blocks` is Schedule::blocks. With lanes, blocks are as much larger, so that each lane's shares have the wanted sizes.
  Meaning(Collective collective, const Shape& shape, std::uint32_t blocks, Sizes sizes, std::size_t lanes);

  [[nodiscard]] BlockSizes sizes(std::int32_t rank) const;
  // The units of the rank's input before; none where it has no input.
  [[nodiscard]] std::vector<Cell> before(std::int32_t rank) const;
  // The units of the rank's output after, undefined where anything may stand; none where it has no output.
  [[nodiscard]] std::vector<Cell> after(std::int32_t rank, const Contributors& contributors) const;

 private:
  [[nodiscard]] std::size_t size_of(std::size_t block) const;
  [[nodiscard]] std::uint32_t parts_of_pair() const;  // all_to_all: blocks that a rank has for another
  [[nodiscard]] std::size_t pair_size(std::int32_t from, std::int32_t to, std::uint32_t nth = 0) const;
  [[nodiscard]] std::vector<Cell> whole(Contributors::Set contributors) const;
  [[nodiscard]] std::vector<Cell> block(std::int32_t rank, Contributors::Set contributors) const;  // with all its parts
  void append_pair(std::vector<Cell>& cells, std::int32_t from, std::int32_t to, std::uint32_t nth = 0) const;
  [[nodiscard]] Shape of(std::int32_t rank) const;

  Collective collective_;
  Shape shape_;
  Sizes sizes_;
  std::size_t lanes_;
  std::size_t parts_;                // of a rank's block
  std::vector<std::size_t> starts_;  // of each block of the whole, and its end
};

}  // namespace railgauge

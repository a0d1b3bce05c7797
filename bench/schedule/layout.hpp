// From blocks to memory: the size of each block of a rank's input and output, and the place of each buffer in that rank's
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// Half open, in units counted from the start of one rank's memory. The unit is an element (or anything else: verify uses
// symbolic cells).
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Units of each block of one rank's input and output. A rank that has no such buffer (the output of a reduce outside its root)
// still has the sizes, since scratch is numbered by them.
struct BlockSizes {
  std::vector<std::size_t> input, output;
  bool has_input = true, has_output = true;
};

// all_gather, reduce_scatter, all_to_all and their like have a block for each rank; a schedule whose blocks are a multiple of the
// ranks divides each of these in so many parts, numbered rank by rank. 1 for any other number of blocks.
[[nodiscard]] inline std::uint32_t parts_of_rank(std::int32_t ranks, std::size_t blocks) {
  const auto number = static_cast<std::size_t>(ranks);
  return blocks > number && blocks % number == 0 ? static_cast<std::uint32_t>(blocks / number) : 1;
}

// Divides `elements`, the size S of the collective (docs/bandwidth.md) in elements, over ranks and blocks. Sizes that do not
// divide are legal: the first blocks are one element larger; all_to_all rounds down to equal blocks. `blocks` is
// Schedule::blocks. `counts` are the blocks of all_to_all_v, row by row: counts[i * ranks + j] from rank i to rank j; where it is
// empty, `elements` is divided by fixed weights.
[[nodiscard]] BlockSizes divide(Collective collective, const Shape& shape, std::uint32_t blocks, std::uint64_t elements,
                                std::span<const std::uint64_t> counts = {});

// S of all_to_all_v with these counts: the most that a rank sends, its own block included. Throws Error(usage) unless there are
// ranks x ranks of them, and each rank sends and receives less than 2^40.
[[nodiscard]] std::uint64_t elements_of(std::span<const std::uint64_t> counts, int ranks);

// The number of elements that `divide` really uses of `elements` (all_to_all: a multiple of the ranks; all_to_all_v: the
// largest sum of one rank's sends); others: `elements`.
[[nodiscard]] std::uint64_t used_elements(Collective collective, int ranks, std::uint64_t elements);

// Where input, output and the scratch of each lane lie in one rank's memory. With `in_place`, input and output share storage as
// nccl-tests has it: the same buffer, or this rank's block of the larger one.
// A lane works on its share of every block (lane l of L: units [size * l / L, size * (l + 1) / L)), so lanes are disjoint and a
// schedule needs no other numbers for them.
class Layout {
 public:
  // `alignment`: buffers and scratch start at multiples of it (units).
  Layout(Collective collective, const Shape& shape, BlockSizes sizes, std::span<const Schedule> lanes, bool in_place,
         std::size_t alignment);

  // The ranges of these blocks in the rank's memory, one for each block, empty ones too. Throws std::out_of_range for blocks
  // that do not exist, which the verifier reports.
  [[nodiscard]] std::vector<Range> pieces(std::size_t lane, const Blocks& blocks) const;
  // The same with adjoining ranges joined and empty ones left out.
  [[nodiscard]] std::vector<Range> resolve(std::size_t lane, const Blocks& blocks) const;

  [[nodiscard]] std::size_t size() const { return size_; }  // units of this rank's whole memory
  [[nodiscard]] Range input() const { return input_; }      // empty where there is no input
  [[nodiscard]] Range output() const { return output_; }
  [[nodiscard]] const BlockSizes& sizes() const { return sizes_; }

 private:
  struct LaneLayout {
    std::vector<Range> input, output;
    std::vector<std::size_t> data;
    std::size_t scratch = 0, stride = 0, slots = 0;
  };
  BlockSizes sizes_;
  std::vector<LaneLayout> lanes_;
  Range input_, output_;
  std::size_t size_ = 0;
};

}  // namespace railgauge

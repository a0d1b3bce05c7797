// Files of the counts of all_to_all_v: how many elements each rank sends to each other one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace railgauge {

// A line for each rank that sends, a number of elements for each that receives, separated by blanks or commas; # begins a
// comment. Row by row. Throws Error(usage) "PATH:LINE: ..." for what is no number, rows of other lengths than there are rows,
// more than 1024 ranks, and counts that together are none.
[[nodiscard]] std::vector<std::uint64_t> read_counts(const std::string& path);

// The most that one of the ranks sends to others, or receives from them: its own block is not counted.
[[nodiscard]] std::uint64_t most_exchanged(std::span<const std::uint64_t> counts, int ranks) noexcept;

// A number below 2^53 that differs for different counts, so that their results are not compared.
[[nodiscard]] std::uint64_t digest_of(std::span<const std::uint64_t> counts) noexcept;

}  // namespace railgauge

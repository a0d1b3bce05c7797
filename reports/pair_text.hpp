// What a matrix of pairs says to people: a heat map, and sentences that name who is slow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/pair_matrix.hpp"
#include "reports/result.hpp"

namespace railgauge {

// A matrix with what its text needs besides.
struct PairPicture {
  PairMatrix matrix{0};
  std::vector<std::string> nodes;  // of each rank; empty where all are on one
  std::uint64_t bytes = 0;         // of a message; up to 4 KiB cells are times, above bandwidths
  bool both_ways = false;          // the two of a pair sent at the same time: send and receive cannot be told apart
};

// From results with `from` and `to`, of one point each pair once.
[[nodiscard]] PairPicture picture_of(const std::vector<Result>& pairs);

// Rows send, columns receive. Up to 16 ranks a number and a shade, above that shades alone. Ends in a newline.
[[nodiscard]] std::string heat_map(const PairPicture& picture);

// One sentence a line: slow hosts or ranks with "send", "receive" or "both", slow pairs, or that nobody stands out. At most
// `most` of each kind.
[[nodiscard]] std::vector<std::string> straggler_sentences(const PairPicture& picture, std::size_t most = 8);

}  // namespace railgauge

// What a matrix of pairs or of copies says to people: a heat map, and sentences that name who is slow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/pairs/pair_matrix.hpp"
#include "reports/result.hpp"

namespace railgauge {

// A matrix with what its text needs besides.
struct PairPicture {
  PairMatrix matrix{0};
  std::vector<std::string> nodes;  // of each rank; empty where all are on one
  std::uint64_t bytes = 0;         // of a message; up to 4 KiB cells are times, above bandwidths
  bool loads = false;              // of chases: cells are times of a load, of the row's memory by the column's processors
  bool both_ways = false;          // the two of a pair sent at the same time: send and receive cannot be told apart
  bool places = false;             // of copies: `nodes` are the names of places, all of them, and stand for the ranks
  double sum = 1;                  // what a cell's bandwidth is of `bytes` in its time: 2 for copies in both directions together
  std::vector<int> rows, columns;  // that are shown; empty: all
  // Of ranks: the outliers that were measured again. Nothing where that was not done, as of copies, or of a run that was
  // interrupted.
  std::optional<std::vector<PairFinding>> findings;
};

// From results with `from` and `to`, of one point each pair once. Of copies rows and columns are those that there are cells of.
[[nodiscard]] PairPicture picture_of(const std::vector<Result>& pairs);

// Whether two entries belong to one matrix.
[[nodiscard]] bool same_matrix(const Case& one, const Case& other);

// "0 -> 1" of ranks, "cuda:0 -> cuda:1" of places, "<->" where both directions went at once.
[[nodiscard]] std::string pair_name(const Case& point);

// Rows send, columns receive. Up to 16 ranks a number and a shade, above that shades alone. Ends in a newline.
[[nodiscard]] std::string heat_map(const PairPicture& picture);

struct StragglerSentence {
  // slow: measuring again has confirmed it; suspected: an outlier, and nothing was measured again; inconclusive: measuring
  // again has not decided; note: how many more there are, or that there is no outlier
  enum class Kind : std::uint8_t { slow, suspected, inconclusive, note };
  Kind kind = Kind::note;
  std::string text;  // "rank 2 on n0, both: 0.010 GB/s against 0.100"
};
[[nodiscard]] std::string said(const StragglerSentence& sentence);  // "slow: rank 2 on n0, both: ..."

// Slow hosts or ranks with "send", "receive" or "both", slow pairs, or that there is no outlier. At most `most` of each kind.
[[nodiscard]] std::vector<StragglerSentence> straggler_sentences(const PairPicture& picture, std::size_t most = 8);

// How the results stand to what is expected of them, and which is least; empty where nothing is expected.
[[nodiscard]] std::string expectation_sentence(const std::vector<Result>& pairs);

}  // namespace railgauge

// Times between each pair of ranks, and the outliers among them: pure arithmetic, explained in docs/pairs.md.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace railgauge {

// Seconds a message from one rank to another, or a copy from one place to another; not a number where it is not known, as on the
// diagonal. What is within one place stands apart, and is compared with others of its kind alone.
class PairMatrix {
 public:
  explicit PairMatrix(int ranks);
  void set(int from, int to, double seconds);
  [[nodiscard]] double at(int from, int to) const;
  void set_within(int place, double seconds);
  [[nodiscard]] double within(int place) const;
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] std::size_t known() const;  // entries with a number

 private:
  [[nodiscard]] std::size_t index(int from, int to) const;
  int ranks_;
  std::vector<double> seconds_, within_;
};

// The middle of values and how far they lie from it. The median of an even number is the lower of the two in the middle.
struct MedianMad {
  double median = 0;
  double mad = 0;  // median of the distances from the median
};
[[nodiscard]] MedianMad median_mad_of(std::vector<double> values);  // zero where there are none; ignores what is no number

[[nodiscard]] double median_between(const PairMatrix&);  // of the times between two
[[nodiscard]] double median_within(const PairMatrix&);

// How far a value stands from a spread.
struct Distance {
  double seconds = 0;
  double ratio = 1;  // of the median
  double mads = 0;   // (seconds - median) / MAD; the MAD counts as at least 1 % of the median, so that equal values part nobody
};

// A rank whose median message is slow in one direction or both: not in the one whose slowness is less than a tenth of the
// other's.
struct SlowRank {
  int rank = 0;
  std::optional<Distance> send, receive;
};
// A pair that is slow though neither of its ends is slow altogether.
struct SlowPair {
  int from = 0, to = 0;
  Distance distance;
};

// A value is an outlier when both are exceeded.
struct Thresholds {
  double ratio = 1.2;
  double mads = 5;
};

struct Stragglers {
  MedianMad senders, receivers;  // of the medians of rows and of columns
  MedianMad rest;                // of the pairs whose ends are not slow in that direction
  MedianMad inside;              // of what is within one place
  std::vector<SlowRank> ranks;
  std::vector<SlowPair> pairs;
  std::vector<SlowPair> within;  // from and to are the same
  // All from the slowest on.
};

// Ranks are judged from 3 that send, or receive, on: of 2 nobody can say which end it is. They can be told while fewer than half
// of them are slow.
[[nodiscard]] Stragglers find_stragglers(const PairMatrix& matrix, const Thresholds& thresholds = {});

}  // namespace railgauge

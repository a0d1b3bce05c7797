// Whether one of two builds that were launched one after the other is slower, known from the pairs of launches alone. Pure
// arithmetic; docs/compare.md explains it.
//
// Launches that stand side by side share the moment, so what the machine does meanwhile cancels in their ratio. Where the builds
// are alike either of a pair might as well have been the other, and each ratio its inverse: all assignments of signs are
// equally probable, whatever the noise looks like. What is seen is compared with them (R. Fisher, The Design of Experiments,
// 1935), by the greatest of all cases at once (P. Westfall, S. Young, Resampling-Based Multiple Testing, 1993).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace railgauge::compare {

// Of one pair, by case: the logarithm of the time in new as a share of that in base; no number where one of them lacks the case.
using Pair = std::vector<double>;

struct CaseChange {
  double change = 0;  // median over pairs, a logarithm; no number where no pair has it
  double spread = 0;  // robust standard deviation of pairs, as a logarithm
  double chance = 1;  // that in any case of two builds of which new takes at most `least_effect` longer so much is seen
};
// The parts are the cases, and one more: the median over the cases of each pair.
[[nodiscard]] std::vector<CaseChange> parts_of(std::span<const Pair> pairs, double least_effect, std::uint64_t seed);

// When to look, and what is said then. The chance that two builds that are alike are called different is at most `suspect` times
// the sum of what the looks have for `slower`, however many cases there are: 0.5 (1/512 + 1/1000 + 1/1000) = 0.002.
struct TurnRule {
  struct Look {
    std::size_t pairs;     // made since the suspicion
    double slower, go_on;  // chances: up to the one it is slower; up to the other it is measured further; else it is not
  };
  std::size_t first = 4;  // pairs
  double suspect = 0.5;   // up to this chance something looks slow
  std::array<Look, 3> looks{Look{9, 1.0 / 512, 0.3}, Look{18, 0.001, 0.1}, Look{36, 0.001, 0}};
  double least_effect = 0.02;  // what is slower by less is as before
  double named = 0.05;         // where something is slower: the parts up to this chance are
  std::uint64_t seed = 1;
};

// Pairs as they are made. What is decided with are those that were made since something looked slow: by those before it was
// chosen.
class PairedSequentialTest {
 public:
  explicit PairedSequentialTest(const TurnRule& rule) : rule_(rule) {}
  [[nodiscard]] std::size_t wanted() const { return wanted_; }  // so many pairs more; 0: it is decided
  void add(Pair pair);                                          // as many cases each time
  [[nodiscard]] bool suspected() const { return suspected_; }
  [[nodiscard]] bool slower() const { return slower_; }
  [[nodiscard]] const std::vector<CaseChange>& parts() const { return parts_; }  // by the pairs that decided, or decide so far
  [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }              // those
  // Whether a part is slower, or looked so first.
  [[nodiscard]] bool slower(std::size_t part) const { return slower_ && parts_.at(part).chance <= rule_.named; }
  [[nodiscard]] bool suspected(std::size_t part) const { return suspected_ && first_.at(part).chance <= rule_.suspect; }

 private:
  void look();

  TurnRule rule_;
  std::vector<Pair> pairs_;
  std::vector<CaseChange> parts_, first_;
  std::size_t wanted_ = rule_.first, next_ = 0;
  bool suspected_ = false, slower_ = false;
};

}  // namespace railgauge::compare

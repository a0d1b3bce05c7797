// Which algorithm a collective takes: the fastest that was measured on machines like this one, or else what a cost model expects.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "reports/result.hpp"

namespace railgauge {

// What decides besides the collective and its size.
struct Situation {
  std::string transport;
  int nodes = 1;
  std::string cpu;              // of rank 0's host: figures of other machines do not count
  std::string memory = "host";  // where the buffers are, as Case::device has it
  std::string gpu = {};         // rank 0's, by its model; empty where the host is the device
};

// The algorithms of a collective at one size, the fastest first.
struct Ranking {
  struct Place {
    std::string algorithm;
    double seconds;
  };
  Case point;  // all but its algorithm
  std::string cpu, gpu;
  std::size_t passes = 0;  // that all took part in
  std::vector<Place> places;
};
// Of the converged and unconverged medians of `results` (railgauge bench tune, or any results file). The first figures of the
// algorithms at one size are compared with each other, then the second ones, and so on; the median of how far one stands behind
// the best decides, over the passes that all took part in: a machine that is slower for a while slows all that it measures in it.
[[nodiscard]] std::vector<Ranking> rank(const std::vector<Result>& results);

class Chooser {
 public:
  Chooser() = default;                                   // knows nothing measured
  explicit Chooser(const std::vector<Result>& results);  // by rank()

  // One of those that can serve the shape (and work in place, where asked). Null when there is none. Where measurements know the
  // collective with so many ranks and nodes on this transport in memory of this kind, the fastest at this size, between sizes by
  // interpolation of logarithms; else the cheapest by expected_time. Figures of the mode in which the collective is measured by
  // default come first.
  [[nodiscard]] const Algorithm* choose(Collective collective, const Shape& shape, std::uint64_t bytes, bool in_place,
                                        const Situation& situation) const;

 private:
  struct Sample {
    std::uint64_t bytes;
    double seconds;
  };
  using Curves = std::map<std::string, std::vector<Sample>>;  // by algorithm, sizes ascending
  [[nodiscard]] const Curves* curves_of(Collective collective, int ranks, bool in_place, const Situation& situation) const;
  [[nodiscard]] static double at(const std::vector<Sample>& curve, std::uint64_t bytes);

  std::map<std::string, Curves> curves_;  // by everything else that decides
};

// A cost model for what was never measured: so much a round, a byte sent, and a byte that a rank's copies and reductions read.
// `memory` is as in Situation.
[[nodiscard]] Seconds expected_time(const Algorithm& algorithm, const Shape& shape, std::uint64_t bytes,
                                    std::string_view transport, std::string_view memory = "host");

// choose() as data for those who make points. The chooser outlives it.
using Choose = std::function<const Algorithm*(Collective, const Shape&, std::uint64_t bytes, bool in_place)>;
[[nodiscard]] Choose choice_of(const Chooser& chooser, Situation situation);

}  // namespace railgauge

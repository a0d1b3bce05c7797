// Chooses the algorithm of a collective: the fastest that was measured on machines like this one, else the one that a cost model
// expects to be fastest.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "reports/result.hpp"

namespace railgauge {

// The conditions of a choice besides the collective and its size.
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
// Ranks the converged and unconverged medians of `results` (railgauge bench tune, or any results file). Within each pass the
// algorithms at one size are compared with the best of that pass; the median of these ratios over all complete passes decides,
// since a machine that is slower for a while slows all algorithms of a pass.
[[nodiscard]] std::vector<Ranking> rank(const std::vector<Result>& results);

class Chooser {
 public:
  Chooser() = default;                                   // knows nothing measured
  explicit Chooser(const std::vector<Result>& results);  // by rank()

  // An algorithm of the catalog that serves the shape (and works in place, where asked); null when none does. Where this
  // collective was measured with as many ranks and nodes on this transport in memory of this kind, the fastest at this size,
  // between sizes by interpolation of logarithms; else the cheapest by expected_time. Measurements in the default mode of the
  // collective take precedence. Those that need equal blocks count only where the elements, of `element_bytes` each, divide by
  // the ranks. `files` are candidates where they were measured, by the names that they have here.
  [[nodiscard]] const Algorithm* choose(Collective collective, const Shape& shape, std::uint64_t bytes,
                                        std::uint64_t element_bytes, bool in_place, const Situation& situation,
                                        std::span<const Algorithm* const> files = {}) const;

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

// The cost model for algorithms without measurements: a time for each round, each byte sent, and each byte that a rank's copies
// and reductions read. `memory` is as in Situation.
[[nodiscard]] Seconds expected_time(const Algorithm& algorithm, const Shape& shape, std::uint64_t bytes,
                                    std::string_view transport, std::string_view memory = "host");

// choose() as a function for make_points(). The chooser must outlive it.
using Choose =
    std::function<const Algorithm*(Collective, const Shape&, std::uint64_t bytes, std::uint64_t element_bytes, bool in_place)>;
[[nodiscard]] Choose choice_of(const Chooser& chooser, Situation situation, std::vector<const Algorithm*> files = {});

}  // namespace railgauge

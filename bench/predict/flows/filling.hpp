// Max-min fair rates of flows that share arcs, by progressive filling (Dimitri Bertsekas and Robert Gallager, "Data Networks",
// 1992, section 6.5.2): all rates grow together; when an arc is full, the flows through it keep their rates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/predict/flows/path.hpp"

namespace railgauge::predict {

struct FlowArcs {
  std::uint32_t first = 0, count = 0;  // its uses: [first, first + count)
  double limit = 0;                    // it is no faster; more than 0, may be infinite
};

// Fills arcs 0 to capacities.size() - 1; keeps its memory from one call to the next.
class Filling {
 public:
  // The rate of each flow. An arc may occur several times in one. Takes time linear in the uses, but for the logarithm of a heap.
  [[nodiscard]] std::span<const double> rates(std::span<const double> capacities, std::span<const FlowArcs> flows,
                                              std::span<const Use> uses);

 private:
  struct Level {
    double rate;
    std::uint32_t arc;
  };
  void index(std::size_t arcs, std::span<const FlowArcs> flows, std::span<const Use> uses);
  void fix(std::size_t which, double rate, std::span<const FlowArcs> flows, std::span<const Use> uses);
  void push(std::uint32_t arc);

  std::vector<double> rates_, left_, weight_;
  std::vector<bool> fixed_;
  std::vector<std::uint32_t> starts_, members_, by_limit_;
  std::vector<Level> heap_;
};

}  // namespace railgauge::predict

// What one rank can do without any other: its own memory and its own processors.
#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"
#include "bench/device/registry.hpp"

namespace railgauge::validate {

struct OwnFigure {
  std::string what;                 // "reduction, float32, 2 x 64 MiB"
  std::string part;                 // what is slow where it is: "gpu", "host", "pcie"
  double gigabytes_per_second = 0;  // bytes read and written, 1e9 a second: the median over repeats
};

// Takes about `seconds` for each figure. Throws Error(usage) where there is no such device or too little memory.
[[nodiscard]] std::vector<OwnFigure> measure_alone(const ChosenDevice& chosen, int rank_of_host, Seconds seconds);

}  // namespace railgauge::validate

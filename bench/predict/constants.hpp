// Latencies and memory rates that a topology does not tell: as the user says, from measurements, or from the literature, with
// their sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/predict/measured_costs.hpp"
#include "bench/predict/rounds/costs.hpp"
#include "topo/graph.hpp"
#include "topo/network/network.hpp"

namespace railgauge::predict {

// What the user says instead of the table; in seconds, and bytes a second.
struct Given {
  std::optional<double> latency;  // of a message, whatever it goes through
  std::optional<double> hop;
  std::optional<double> gap;
  std::optional<double> memory;
  std::optional<double> eager;  // bytes of the largest message that begins when it is sent; infinite: all
};

struct Constants {
  Costs costs;
  std::vector<std::string> assumed;  // a line for each: the value, what it is, where it comes from
};

[[nodiscard]] Constants constants_of(const topo::Graph& graph, const topo::Network& network, const Given& given,
                                     const MeasuredCosts& measured);

}  // namespace railgauge::predict

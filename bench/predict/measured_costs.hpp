// What measured messages say of the media of a topology: latencies, handshakes, and the share of the links' bandwidth that they
// reach.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "bench/predict/measured/fit.hpp"
#include "bench/predict/measured/samples.hpp"
#include "bench/predict/rounds/costs.hpp"
#include "bench/predict/routes/incidence.hpp"
#include "topo/view.hpp"

namespace railgauge::predict {

struct MediumFit {
  MessageFit fit;      // its latency is that through one switch
  std::string source;  // "ucx, ping_pong of a.jsonl"
};

struct MeasuredCosts {
  std::array<std::optional<MediumFit>, 3> media;  // by Medium
  std::optional<double> gap;                      // seconds
  std::string gap_source;
};

// A message between named machines took the path between them; one between others, or of no names, that between the first two
// ranks on different machines, or on one. `costs` are those of the table, `capacities` those of the arcs, bytes a second. Throws
// Error(usage) where the ranks have no such path, or messages were faster than the topology's links are.
[[nodiscard]] MeasuredCosts measured_costs(std::span<const Measured> measured, const topo::View& view, const Incidence& incidence,
                                           const Costs& costs, std::span<const double> capacities);

// Of the class of arcs that a medium is made of.
[[nodiscard]] ArcClass class_of(Medium medium) noexcept;

}  // namespace railgauge::predict

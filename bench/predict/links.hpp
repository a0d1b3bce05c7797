// A graph as predictions compute on it: its ranks and arcs, what these carry and cost. All questions about one graph share it.
#pragma once

#include <string>
#include <vector>

#include "bench/predict/constants.hpp"
#include "bench/predict/predict.hpp"
#include "bench/predict/routes/forwarding.hpp"
#include "bench/predict/routes/incidence.hpp"
#include "bench/predict/routes/routes.hpp"
#include "topo/graph.hpp"
#include "topo/network/network.hpp"
#include "topo/view.hpp"

namespace railgauge::predict {

// Of each arc, bytes a second: what its link has, where Arc::capacity is that, rounded to megabytes (a link of 100 Mbit/s has
// 12.5); of NVLink, xGMI and PCIe what is usable of that.
[[nodiscard]] std::vector<double> capacities_of(const topo::Graph& graph, const topo::Network& network);

// Refers to the graph, which must outlive it. Of the question it takes ranks, NICs, routing, and constants, given or measured.
// Throws Error(usage) for a graph that lacks something.
struct Links {
  Links(const topo::Graph& graph, const Question& question);
  Links(topo::Graph&&, const Question&) = delete;
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  topo::View view;
  topo::Network network;
  Incidence incidence;
  Constants constants;
  Forwarding forwarding;
  RoutingKind routing = RoutingKind::adaptive;
  std::vector<double> capacities;  // of arcs, bytes a second

  [[nodiscard]] Routing routing_of(std::uint64_t seed) const { return {routing, seed, &forwarding}; }
};

// What is assumed of routes, for people.
[[nodiscard]] std::string text_of_routing(const Links& links, const Question& question);

}  // namespace railgauge::predict

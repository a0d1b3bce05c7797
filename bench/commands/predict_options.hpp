// The options of what is predicted on a topology: `railgauge predict` and `railgauge workload --topology` have them in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/predict/predict.hpp"
#include "topo/graph.hpp"

namespace railgauge {

struct PredictOptions {
  std::vector<std::string> topology, what_if;
  std::string nics, routing;
  unsigned draws = 11;
  std::uint64_t seed = 1;
  unsigned ranks_per_node = 0;
  std::vector<std::string> measured;
  std::string latency, hop, gap, eager;
  double memory_rate = 0;
};

// --topology and --what-if; `options` lives as long as the parser. The first is --topology.
std::vector<CLI::Option*> add_topologies(CLI::App& command, PredictOptions& options);
// NICs, routing, placement.
std::vector<CLI::Option*> add_routing(CLI::App& command, PredictOptions& options);
// --measured and the constants that win over it.
std::vector<CLI::Option*> add_constants(CLI::App& command, PredictOptions& options);

// Files that --measured names are read; `transport` chooses among their results where it is not empty. Throws Error(usage).
void fill(predict::Question& question, const PredictOptions& options, const std::string& transport);

struct Topologies {
  topo::Graph graph;
  std::optional<topo::Graph> changed;  // by --what-if
  std::vector<std::string> changes;    // in words
};
// Throws Error(usage).
[[nodiscard]] Topologies topologies_of(const PredictOptions& options);

}  // namespace railgauge

// What the commands under `railgauge algorithm` take besides files: algorithms of the catalog, for some number of ranks.
#pragma once

#include <cstdint>
#include <string>

#include "bench/schedule/file/schedule_file.hpp"

namespace CLI {
class App;
}

namespace railgauge {

struct CatalogRequest {
  std::string algorithm;  // empty: none is asked for
  std::int32_t ranks = 0, root = 0, ranks_per_node = 1;
  [[nodiscard]] bool asks() const { return !algorithm.empty() || ranks != 0 || root != 0 || ranks_per_node != 1; }
};

// --algorithm, --ranks, --root and --ranks-per-node; `request` outlives the parsing and the action.
void add_catalog_options(CLI::App& command, CatalogRequest& request);

struct CatalogSchedules {
  ScheduleFile schedules;
  bool in_place = false;  // work with input and output as one buffer
};
// Throws Error(usage): there is no such collective or algorithm, or it cannot serve.
[[nodiscard]] CatalogSchedules schedules_of_catalog(const std::string& collective, const CatalogRequest& request);

}  // namespace railgauge

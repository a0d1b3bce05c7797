// One HTML page of results that needs nothing else and no network.
#pragma once

#include <string>
#include <vector>

#include "reports/web/frame.hpp"
#include "reports/web/gather.hpp"
#include "reports/web/trend.hpp"

namespace railgauge::web {

// A picture of the topology, made by topo/draw.
struct Drawing {
  std::string svg;      // an element, harmless as it stands
  std::string caption;  // plain text
};

struct PageOptions {
  std::string program;                   // "railgauge 0.1.0"
  Drawing topology;                      // an empty svg: none
  std::vector<Trend> trends = {};        // of a history of runs, in any order
  std::vector<std::string> judged = {};  // what a gate said of them, by line; the last is its verdict
};

// The verdict first, then charts with their tables, then what was run on what. Nothing in the results can be more than text. Ends
// with a newline.
[[nodiscard]] std::string page_of(const Contents& contents, const PageOptions& options);

}  // namespace railgauge::web

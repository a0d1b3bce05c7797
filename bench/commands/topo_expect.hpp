// `railgauge topo expect` without its command line, so that tests can call it.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/commands/topo_sources.hpp"

namespace railgauge {

struct TopoExpectOptions : topo::SourceOptions {  // whose `sources` come from `words`
  std::vector<std::string> words;                 // sources, which are there as files or folders, and then no or two nodes
  std::string collective;                         // empty: of all_reduce, all_gather and all_to_all, where no nodes are named
  unsigned ranks = 0;                             // 0: one for each GPU
  std::string nics;                               // patterns (topo/roles.hpp)
  unsigned domains = 0;                           // NVLink domains; 0: by the graph
  std::string format = "text";                    // or json
};

// Writes what a path or a collective should reach. Gives 0; throws Error(usage).
int run_topo_expect(const TopoExpectOptions& options, std::FILE* to);

}  // namespace railgauge

// `railgauge topo check` without its command line, so that tests can call it.
#pragma once

#include <cstdio>
#include <string>

#include "bench/commands/topo_sources.hpp"

namespace railgauge {

struct TopoCheckOptions : topo::SourceOptions {
  std::string design;           // file or folder with the cables as they should be; empty for none
  std::string nics;             // patterns of the NICs that carry traffic between GPUs; empty for the rules' guess
  std::string format = "text";  // or json
};

// Writes what is wrong to `to`. 1 when there is a fault or a warning, 0 when there are notes at most. Throws Error(usage), and
// Error(not_comparable) when the design is of something else.
int run_topo_check(const TopoCheckOptions& options, std::FILE* to);

}  // namespace railgauge

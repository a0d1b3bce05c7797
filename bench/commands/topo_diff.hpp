// `railgauge topo diff` without its command line, so that tests can call it.
#pragma once

#include <cstdio>
#include <string>

#include "bench/commands/topo_sources.hpp"

namespace railgauge {

struct TopoDiffOptions : topo::SourceOptions {  // of the one after; `sources` holds one, or none for what is live
  std::string from;                             // file or folder
  bool all = false;                             // also what changes by itself
  std::string format = "text";                  // or json
};

// Writes what differs to `to`. 1 when something does, else 0. Throws Error(usage), and Error(not_comparable) when the two have
// nothing in common.
int run_topo_diff(const TopoDiffOptions& options, std::FILE* to);

}  // namespace railgauge

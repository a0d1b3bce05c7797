// `railgauge topo` without its command line, so that tests can call it.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/commands/topo_sources.hpp"

namespace railgauge {

struct TopoOptions : topo::SourceOptions {
  std::string as = "tree";         // a name of topo::formats()
  std::string output;              // file; empty for `to`
  std::string save;                // folder for the evidence; empty for none
  std::vector<std::string> edits;  // as topo/edit reads them, done one after the other
  std::string results;             // JSON Lines of bench pairs, that links of a picture are coloured by; empty for none
};

// Writes the topology to `to`, or to the file that the options name. Gives the exit code; throws Error(usage).
int run_topo(const TopoOptions& options, std::FILE* to);

}  // namespace railgauge

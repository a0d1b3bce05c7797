// `railgauge topo generate` without its command line, so that tests can call it.
#pragma once

#include <cstdio>
#include <string>

#include "topo/generate/generate.hpp"

namespace railgauge {

struct TopoGenerateOptions {
  std::string kind;  // a row of topo::generate_kinds()
  topo::GenerateValues values;
  std::string as = "json";  // a name of topo::formats()
  std::string output;       // file; empty or - for `to`
};

// Writes the graph to `to`, or to the file that the options name. Gives the exit code; throws Error(usage).
int run_topo_generate(const TopoGenerateOptions& options, std::FILE* to);

}  // namespace railgauge

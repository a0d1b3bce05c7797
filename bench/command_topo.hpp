// `railgauge topo` without its command line, so that tests can call it.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace railgauge {

struct TopoOptions {
  std::vector<std::string> sources;  // files or folders; none for this machine
  std::string as = "tree";           // a name of topo::formats()
  std::string output;                // file; empty for `to`
  std::string save;                  // folder for the evidence; empty for none
  std::string root;                  // folder in front of /sys and /proc; empty for this machine's own
};

// Writes the topology to `to`, or to the file that the options name. Gives the exit code; throws Error(usage).
int run_topo(const TopoOptions& options, std::FILE* to);

}  // namespace railgauge

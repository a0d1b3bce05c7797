// `railgauge topo` without its command line, so that tests can call it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace railgauge {

struct TopoOptions {
  std::vector<std::string> sources;  // files or folders; none for this machine
  std::string as = "tree";           // a name of topo::formats()
  std::string output;                // file; empty for `to`
  std::string save;                  // folder for the evidence; empty for none
  std::string results;               // JSON Lines of bench pairs, that links of a picture are coloured by; empty for none
  std::string root;                  // folder in front of /sys and /proc; empty for this machine's own
  bool fabric = false;               // the live InfiniBand fabric, in place of this machine or besides the sources
  std::string device;                // that the fabric is asked through: "mlx5_0" or "mlx5_0:1"; empty for any
  std::vector<std::filesystem::path> plugin_folders;
};

// Writes the topology to `to`, or to the file that the options name. Gives the exit code; throws Error(usage).
int run_topo(const TopoOptions& options, std::FILE* to);

}  // namespace railgauge

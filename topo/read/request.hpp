// What a command makes its graph of: files, folders, this machine, the live fabric.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "topo/graph.hpp"
#include "topo/read/sources.hpp"

namespace railgauge::topo {

struct SourceOptions {
  std::vector<std::string> sources;       // files or folders; none for this machine
  std::string root;                       // folder in front of /sys and /proc; empty for this machine's own
  bool fabric = false;                    // the live InfiniBand fabric, in place of this machine or besides the sources
  bool routes = false, counters = false;  // of a live fabric: forwarding tables, and what ports have counted
  std::string device;                     // that the fabric is asked through: "mlx5_0" or "mlx5_0:1"; empty for any
  std::vector<std::filesystem::path> plugin_folders;
  std::chrono::milliseconds fabric_deadline = std::chrono::seconds(120);
};

// The evidence of each source, in the order in which they are named, the live fabric last. Throws Error(usage), also for options
// that contradict each other. `silent`, if given, takes the sources that had nothing to say about this machine.
[[nodiscard]] std::vector<Evidence> read_sources(const SourceOptions&, std::vector<Silence>* silent = nullptr);
[[nodiscard]] Graph graph_of(const SourceOptions&);
// Of files or folders, or of this machine when there is none.
[[nodiscard]] Graph graph_of_files(const std::vector<std::string>& sources);

}  // namespace railgauge::topo

// The sources of a command's graph: files, folders, this machine, the live fabric.
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
  std::string root;                       // folder that contains /sys and /proc; empty for this machine's own
  bool fabric = false;                    // the live InfiniBand fabric, instead of this machine or in addition to `sources`
  bool routes = false, counters = false;  // of a live fabric: read forwarding tables, and counters of ports
  std::string device;                     // for queries to the fabric: "mlx5_0" or "mlx5_0:1"; empty for any
  std::vector<std::filesystem::path> plugin_folders;
  std::chrono::milliseconds fabric_deadline = std::chrono::seconds(120);
};

// The evidence of each source in the order of `sources`, the live fabric last. Throws Error(usage), also for contradictory
// options. Adds the sources that have nothing on this machine to `silent`, unless it is nullptr.
[[nodiscard]] std::vector<Evidence> read_sources(const SourceOptions&, std::vector<Silence>* silent = nullptr);
[[nodiscard]] Graph graph_of(const SourceOptions&);  // throws Error(usage)
// The graph of files or folders, or of this machine when there are none. Throws Error(usage).
[[nodiscard]] Graph graph_of_files(const std::vector<std::string>& sources);

}  // namespace railgauge::topo

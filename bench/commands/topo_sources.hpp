// What the commands under `railgauge topo` share: reading their sources, printing, and adding themselves.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/commands/command.hpp"
#include "topo/read/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge {

// What a command makes its graph of.
struct SourceOptions {
  std::vector<std::string> sources;       // files or folders; none for this machine
  std::string root;                       // folder in front of /sys and /proc; empty for this machine's own
  bool fabric = false;                    // the live InfiniBand fabric, in place of this machine or besides the sources
  bool routes = false, counters = false;  // of a live fabric: forwarding tables, and what ports have counted
  std::string device;                     // that the fabric is asked through: "mlx5_0" or "mlx5_0:1"; empty for any
  std::vector<std::filesystem::path> plugin_folders;
  std::chrono::milliseconds fabric_deadline = std::chrono::seconds(120);
};

// --root, --fabric and --device; what the command calls its files is its own affair. `options` lives as long as the parser.
void add_source_options(CLI::App& command, SourceOptions& options, const Surroundings& surroundings);
// --fabric, --device and --routes alone.
void add_fabric_options(CLI::App& command, SourceOptions& options, const Surroundings& surroundings, const char* summary);

// The evidence of each source, in the order in which they are named, the live fabric last. Throws Error(usage), also for options
// that contradict each other. `silent`, if given, takes the sources that had nothing to say about this machine.
[[nodiscard]] std::vector<topo::Evidence> read_sources(const SourceOptions&, std::vector<topo::Silence>* silent = nullptr);
[[nodiscard]] topo::Graph graph_of(const SourceOptions&);
// Of files or folders, or of this machine when there is none.
[[nodiscard]] topo::Graph graph_of_files(const std::vector<std::string>& sources);

// For the output of a command. Throws Error(usage) when it cannot be written.
void print(const std::string& text, std::FILE* to);

// Whether --format asks for JSON; throws Error(usage) for what is neither text nor json.
[[nodiscard]] bool wants_json(const std::string& format);

// Subcommands of `topo`, one file each.
void add_topo_check(CLI::App& topo, const Surroundings& surroundings, Action& action);
void add_topo_diff(CLI::App& topo, const Surroundings& surroundings, Action& action);
void add_topo_expect(CLI::App& topo, const Surroundings& surroundings, Action& action);

}  // namespace railgauge

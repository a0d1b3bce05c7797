// What the commands under `railgauge topo` share: reading their sources, printing, and adding themselves.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/command.hpp"
#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge {

// The evidence of each file or folder, or of this machine when there is none. `root` stands in front of /sys and /proc. Throws
// Error(usage), also when both are given. `silent`, if given, takes the sources that had nothing to say about this machine.
[[nodiscard]] std::vector<topo::Evidence> read_sources(const std::vector<std::string>& sources, const std::string& root,
                                                       std::vector<topo::Silence>* silent = nullptr);
[[nodiscard]] topo::Graph graph_of_sources(const std::vector<std::string>& sources, const std::string& root = {});

// For the output of a command. Throws Error(usage) when it cannot be written.
void print(const std::string& text, std::FILE* to);

// Whether --format asks for JSON; throws Error(usage) for what is neither text nor json.
[[nodiscard]] bool wants_json(const std::string& format);

// Subcommands of `topo`, one file each.
void add_topo_check(CLI::App& topo, Action& action);
void add_topo_diff(CLI::App& topo, Action& action);
void add_topo_expect(CLI::App& topo, Action& action);

}  // namespace railgauge

// What the commands under `railgauge topo` share: the options for their sources, and adding themselves.
#pragma once

#include <string>

#include "bench/commands/command.hpp"
#include "topo/read/request.hpp"

namespace railgauge {

// --root, --fabric and --device; what the command calls its files is its own affair. `options` lives as long as the parser.
void add_source_options(CLI::App& command, topo::SourceOptions& options, const Invocation& invocation);
// --fabric, --device and --routes alone.
void add_fabric_options(CLI::App& command, topo::SourceOptions& options, const Invocation& invocation, const char* summary);

// Whether --format asks for JSON; throws Error(usage) for what is neither text nor json.
[[nodiscard]] bool wants_json(const std::string& format);

// Subcommands of `topo`, one file each.
void add_topo_check(CLI::App& topo, const Invocation& invocation, Action& action);
void add_topo_diff(CLI::App& topo, const Invocation& invocation, Action& action);
void add_topo_expect(CLI::App& topo, const Invocation& invocation, Action& action);
void add_topo_generate(CLI::App& topo, const Invocation& invocation, Action& action);

}  // namespace railgauge

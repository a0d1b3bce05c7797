// Options that several commands have for what topology they read.
#include "bench/commands/topo_sources.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.hpp"

namespace railgauge {

void add_source_options(CLI::App& command, topo::SourceOptions& options, const Invocation& invocation) {
  command.add_option("--root", options.root, "Read /sys and /proc under this folder");
  add_fabric_options(command, options, invocation,
                     "Read the live InfiniBand fabric, in place of this machine or besides the sources");
  command.add_flag("--counters", options.counters, "Ask the ports of the fabric what they have counted: errors and traffic")
      ->needs("--fabric");
}

void add_fabric_options(CLI::App& command, topo::SourceOptions& options, const Invocation& invocation, const char* summary) {
  command.add_flag("--fabric", options.fabric, summary);
  command.add_option("--device", options.device, "Ask the fabric through this device, as mlx5_0 or mlx5_0:1")->needs("--fabric");
  command.add_flag("--routes", options.routes, "Ask the switches of the fabric for their forwarding tables")->needs("--fabric");
  options.plugin_folders = invocation.plugin_folders;
}

bool wants_json(const std::string& format) {
  if (format == "json" || format == "text") return format == "json";
  throw Error(Fault::usage, fmt::format("--format {}: there is no such format; there are text, json", format));
}

}  // namespace railgauge

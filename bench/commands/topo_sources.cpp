// Files, folders, this machine and the live fabric become evidence.
#include "bench/commands/topo_sources.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "topo/read/build.hpp"
#include "topo/evidence/ibfabric.hpp"

namespace railgauge {

namespace {

// "mlx5_0" or "mlx5_0:1", as other tools of InfiniBand take it.
topo::FabricQuestion question_of(const std::string& device) {
  topo::FabricQuestion question;
  const std::size_t colon = device.find(':');
  question.device = device.substr(0, colon);
  if (colon == std::string::npos) return question;
  const std::string number = device.substr(colon + 1);
  if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
    throw Error(Fault::usage, fmt::format("--device {}: expected a device and the number of its port, as mlx5_0:1", device));
  question.port = std::stoi(number);
  return question;
}

}  // namespace

void add_source_options(CLI::App& command, SourceOptions& options, const Surroundings& surroundings) {
  command.add_option("--root", options.root, "Read /sys and /proc under this folder");
  add_fabric_options(command, options, surroundings,
                     "Read the live InfiniBand fabric, in place of this machine or besides the sources");
  command.add_flag("--counters", options.counters, "Ask the ports of the fabric what they have counted: errors and traffic")
      ->needs("--fabric");
}

void add_fabric_options(CLI::App& command, SourceOptions& options, const Surroundings& surroundings, const char* summary) {
  command.add_flag("--fabric", options.fabric, summary);
  command.add_option("--device", options.device, "Ask the fabric through this device, as mlx5_0 or mlx5_0:1")->needs("--fabric");
  command.add_flag("--routes", options.routes, "Ask the switches of the fabric for their forwarding tables")->needs("--fabric");
  options.plugin_folders = surroundings.plugin_folders;
}

std::vector<topo::Evidence> read_sources(const SourceOptions& options, std::vector<topo::Silence>* silent) {
  if (!options.sources.empty() && !options.root.empty())
    throw Error(Fault::usage, "--root is for a live machine and cannot be given together with a recorded one");
  if (options.fabric && !options.root.empty())
    throw Error(Fault::usage, "--fabric asks the live fabric and cannot be given together with --root");
  std::vector<topo::Evidence> all;
  all.reserve(options.sources.size() + 1);
  for (const std::string& source : options.sources) all.push_back(topo::read_evidence(source));
  if (options.fabric) {
    topo::FabricQuestion question = question_of(options.device);
    question.deadline = options.fabric_deadline;
    question.routes = options.routes;
    question.counters = options.counters;
    all.push_back({topo::collect_fabric(question, options.plugin_folders)});
  }
  if (all.empty()) all.push_back(topo::collect(options.root, silent));
  return all;
}

topo::Graph graph_of(const SourceOptions& options) { return topo::build(read_sources(options)); }

topo::Graph graph_of_files(const std::vector<std::string>& sources) {
  SourceOptions options;
  options.sources = sources;
  return graph_of(options);
}

void print(const std::string& text, std::FILE* to) {
  if (std::fwrite(text.data(), 1, text.size(), to) != text.size() || std::fflush(to) != 0)
    throw Error(Fault::usage, fmt::format("cannot write the topology: {}", std::generic_category().message(errno)));
}

bool wants_json(const std::string& format) {
  if (format == "json" || format == "text") return format == "json";
  throw Error(Fault::usage, fmt::format("--format {}: there is no such format; there are text, json", format));
}

}  // namespace railgauge

#include "topo/read/request.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "topo/evidence/ibfabric.hpp"
#include "topo/read/build.hpp"

namespace railgauge::topo {
namespace {

// "mlx5_0" or "mlx5_0:1", as other tools of InfiniBand take it.
FabricQuestion question_of(const std::string& device) {
  FabricQuestion question;
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

std::vector<Evidence> read_sources(const SourceOptions& options, std::vector<Silence>* silent) {
  if (!options.sources.empty() && !options.root.empty())
    throw Error(Fault::usage, "--root is for a live machine and cannot be given together with a recorded one");
  if (options.fabric && !options.root.empty())
    throw Error(Fault::usage, "--fabric asks the live fabric and cannot be given together with --root");
  std::vector<Evidence> all;
  all.reserve(options.sources.size() + 1);
  for (const std::string& source : options.sources) all.push_back(read_evidence(source));
  if (options.fabric) {
    FabricQuestion question = question_of(options.device);
    question.deadline = options.fabric_deadline;
    question.routes = options.routes;
    question.counters = options.counters;
    all.push_back({collect_fabric(question, options.plugin_folders)});
  }
  if (all.empty()) all.push_back(collect(options.root, silent));
  return all;
}

Graph graph_of(const SourceOptions& options) { return build(read_sources(options)); }

Graph graph_of_files(const std::vector<std::string>& sources) {
  SourceOptions options;
  options.sources = sources;
  return graph_of(options);
}

}  // namespace railgauge::topo

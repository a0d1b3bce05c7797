// Gives each reading to the reader of its format.
#include "topo/read/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "topo/merge.hpp"
#include "topo/read/sources.hpp"

namespace railgauge::topo {
namespace {

const Source& source_of(const Reading& reading) {
  for (const Source& source : sources())
    if (source.name == reading.source) return source;
  throw Error(Fault::usage, fmt::format("{}: nobody reads {}", reading.origin, reading.source));
}

const Node* machine_of(const Graph& graph) {
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.kind == Kind::machine; });
  return found != graph.nodes.end() && found->key == "machine" ? &*found : nullptr;
}

// What its machine calls itself, or else the file or folder it came from.
std::string host_of(const Graph& graph, const Evidence& evidence) {
  if (const std::string_view name = text_of(machine_of(graph)->attributes, "host_name"); !name.empty()) return std::string(name);
  return std::filesystem::path(evidence.front().origin).stem().string();
}

}  // namespace

Graph build(const Evidence& evidence) {
  Graph graph;
  for (const Reading& reading : evidence) {
    Graph one = source_of(reading).read(reading);
    if (graph.nodes.empty())
      graph = std::move(one);
    else
      merge(graph, std::move(one));
  }
  if (graph.nodes.empty()) throw Error(Fault::usage, "there is no evidence to build a topology from");
  return graph;
}

Graph build(const std::vector<Evidence>& several) {
  if (several.size() == 1) return build(several.front());
  Graph all;
  std::set<std::string> hosts;
  for (const Evidence& evidence : several) {
    Graph graph = build(evidence);
    if (machine_of(graph) != nullptr) {
      std::string host = host_of(graph, evidence);
      for (unsigned n = 2; !hosts.insert(host).second; ++n) host = fmt::format("{}#{}", host_of(graph, evidence), n);
      qualify(graph, host);
    }
    merge(all, std::move(graph));
  }
  if (all.nodes.empty()) throw Error(Fault::usage, "there is no evidence to build a topology from");
  return all;
}

}  // namespace railgauge::topo

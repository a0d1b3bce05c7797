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
#include "topo/pci.hpp"
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

// One named source, or folder, and what it is of.
struct Part {
  const Evidence* evidence;
  Graph graph;
  bool of_machine = false;
  std::string host;  // as its machine calls itself; empty where nobody says
};

using Host = std::vector<std::size_t>;  // places of parts

std::set<std::string_view> sources_in(const Part& part) {
  std::set<std::string_view> names;
  for (const Reading& reading : *part.evidence) names.insert(reading.source);
  return names;
}

std::set<std::string> gpus_with_address(const Graph& graph) {
  std::set<std::string> keys;
  for (const Node& node : graph.nodes)
    if (std::string key = pci_key(node.key); node.kind == Kind::gpu && !key.empty()) keys.insert(std::move(key));
  return keys;
}

// No source tells twice of one machine, and no two of them see none of the same GPUs.
bool may_be_one(const std::vector<Part>& parts, const Host& host, std::size_t other) {
  const std::set<std::string_view> sources = sources_in(parts[other]);
  const std::set<std::string> gpus = gpus_with_address(parts[other].graph);
  return std::all_of(host.begin(), host.end(), [&](std::size_t at) {
    const std::set<std::string_view> told = sources_in(parts[at]);
    const std::set<std::string> seen = gpus_with_address(parts[at].graph);
    const auto in = [](const auto& names) { return [&names](const auto& name) { return names.contains(name); }; };
    return std::none_of(told.begin(), told.end(), in(sources)) &&
           (seen.empty() || gpus.empty() || std::any_of(seen.begin(), seen.end(), in(gpus)));
  });
}

// Which parts are of one machine: those of one name. Files without a name (nvidia-smi, NCCL, lspci) belong to the only machine
// that has one, or together, where no format is there twice; else each is of a machine of its own.
std::vector<Host> hosts_of(const std::vector<Part>& parts) {
  std::vector<Host> hosts;
  Host nameless;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].of_machine) continue;
    if (parts[i].host.empty()) {
      nameless.push_back(i);
      continue;
    }
    const auto same = std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) {
      return parts[host.front()].host == parts[i].host && may_be_one(parts, host, i);
    });
    if (same != hosts.end())
      same->push_back(i);
    else
      hosts.push_back({i});
  }
  if (hosts.size() <= 1) {
    Host one = hosts.empty() ? Host() : hosts.front();
    bool together = true;
    for (const std::size_t i : nameless) {
      together = together && may_be_one(parts, one, i);
      one.push_back(i);
    }
    if (together && !one.empty()) return {one};
  }
  for (const std::size_t i : nameless) hosts.push_back({i});
  return hosts;
}

// All that is told of one machine, in the order in which a folder is read.
Graph graph_of(std::vector<Part>& parts, const Host& host) {
  if (host.size() == 1) return std::move(parts[host.front()].graph);
  Evidence all;
  for (const Source& source : sources())
    for (const std::size_t at : host)
      for (const Reading& reading : *parts[at].evidence)
        if (reading.source == source.name) all.push_back(reading);
  return build(all);
}

// What its machine calls itself, or else the file or folder it came from.
std::string name_of(const std::vector<Part>& parts, const Host& host) {
  for (const std::size_t at : host)
    if (!parts[at].host.empty()) return parts[at].host;
  return std::filesystem::path(parts[host.front()].evidence->front().origin).stem().string();
}

}  // namespace

Graph build(const Evidence& evidence) {
  Graph graph;
  for (const Reading& reading : evidence) {
    Graph one = source_of(reading).read(reading);
    if (graph.nodes.empty())
      graph = std::move(one);
    else
      merge(graph, std::move(one), MergeScope::one_host);
  }
  if (graph.nodes.empty()) throw Error(Fault::usage, "there is no evidence to build a topology from");
  return graph;
}

Graph build(const std::vector<Evidence>& several) {
  if (several.size() == 1) return build(several.front());
  std::vector<Part> parts;
  for (const Evidence& evidence : several) {
    Part part{&evidence, build(evidence), false, {}};
    if (const Node* machine = machine_of(part.graph)) {
      part.of_machine = true;
      part.host = text_of(machine->attributes, "host_name");
    }
    parts.push_back(std::move(part));
  }
  const std::vector<Host> hosts = hosts_of(parts);
  if (hosts.size() == 1 && hosts.front().size() == parts.size()) return graph_of(parts, hosts.front());
  Graph all;
  std::set<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].of_machine) {
      merge(all, std::move(parts[i].graph));
      continue;
    }
    const auto host = std::find_if(hosts.begin(), hosts.end(), [&](const Host& it) { return it.front() == i; });
    if (host == hosts.end()) continue;  // told with the first part of its machine
    std::string name = name_of(parts, *host);
    for (unsigned n = 2; !names.insert(name).second; ++n) name = fmt::format("{}#{}", name_of(parts, *host), n);
    Graph graph = graph_of(parts, *host);
    qualify(graph, name);
    for (Node& node : graph.nodes)
      if (node.kind == Kind::machine && node.name == "machine") node.name = name;
    merge(all, std::move(graph));
  }
  if (all.nodes.empty()) throw Error(Fault::usage, "there is no evidence to build a topology from");
  return all;
}

}  // namespace railgauge::topo

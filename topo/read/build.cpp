// Gives each reading to the reader of its format.
#include "topo/read/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
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
  const Evidence* evidence = nullptr;
  Graph graph;
  bool of_machine = false;
  std::string host;  // as its machine calls itself; empty where nobody says
  std::set<std::string_view> sources;
  std::set<std::string> gpus;  // those with an address
};

using Host = std::vector<std::size_t>;  // places of parts

Part part_of(const Evidence& evidence) {
  Part part;
  part.evidence = &evidence;
  part.graph = build(evidence);
  for (const Reading& reading : evidence) part.sources.insert(reading.source);
  for (const Node& node : part.graph.nodes)
    if (std::string key = pci_key(node.key); node.kind == Kind::gpu && !key.empty()) part.gpus.insert(std::move(key));
  if (const Node* machine = machine_of(part.graph)) {
    part.of_machine = true;
    part.host = text_of(machine->attributes, "host_name");
  }
  return part;
}

// No source tells twice of one machine, and no two of them see none of the same GPUs.
bool may_be_one(const std::vector<Part>& parts, const Host& host, std::size_t other) {
  const Part& its = parts[other];
  return std::all_of(host.begin(), host.end(), [&](std::size_t at) {
    const Part& part = parts[at];
    const auto in = [](const auto& names) { return [&names](const auto& name) { return names.contains(name); }; };
    return std::none_of(part.sources.begin(), part.sources.end(), in(its.sources)) &&
           (part.gpus.empty() || its.gpus.empty() || std::any_of(part.gpus.begin(), part.gpus.end(), in(its.gpus)));
  });
}

// Which parts are of one machine: those of one name. Files without a name (nvidia-smi, NCCL, lspci) belong to the only machine
// that has one, or together, where no format is there twice; else each is of a machine of its own.
std::vector<Host> hosts_of(const std::vector<Part>& parts) {
  std::vector<Host> hosts;
  std::unordered_map<std::string_view, std::vector<std::size_t>> named;  // places in `hosts`
  Host nameless;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].of_machine) continue;
    if (parts[i].host.empty()) {
      nameless.push_back(i);
      continue;
    }
    std::vector<std::size_t>& places = named[parts[i].host];
    const auto same =
        std::find_if(places.begin(), places.end(), [&](std::size_t place) { return may_be_one(parts, hosts[place], i); });
    if (same != places.end()) {
      hosts[*same].push_back(i);
    } else {
      places.push_back(hosts.size());
      hosts.push_back({i});
    }
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
  parts.reserve(several.size());
  for (const Evidence& evidence : several) parts.push_back(part_of(evidence));
  const std::vector<Host> hosts = hosts_of(parts);
  if (hosts.size() == 1 && hosts.front().size() == parts.size()) return graph_of(parts, hosts.front());
  std::unordered_map<std::size_t, const Host*> begun;  // by its first part
  for (const Host& host : hosts) begun.emplace(host.front(), &host);
  Graph all;
  std::set<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].of_machine) {
      merge(all, std::move(parts[i].graph));
      continue;
    }
    const auto found = begun.find(i);
    if (found == begun.end()) continue;  // told with the first part of its machine
    const Host& host = *found->second;
    std::string name = name_of(parts, host);
    for (unsigned n = 2; !names.insert(name).second; ++n) name = fmt::format("{}#{}", name_of(parts, host), n);
    Graph graph = graph_of(parts, host);
    qualify(graph, name);
    for (Node& node : graph.nodes)
      if (node.kind == Kind::machine && node.name == "machine") node.name = name;
    merge(all, std::move(graph));
  }
  if (all.nodes.empty()) throw Error(Fault::usage, "there is no evidence to build a topology from");
  return all;
}

}  // namespace railgauge::topo

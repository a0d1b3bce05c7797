// Looks up each key once, and speaks of nodes as people do.
#include "topo/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topo/identity.hpp"

namespace railgauge::topo {
namespace {

// What NVML or another tool calls this GPU; View::none when nobody numbers it.
std::size_t number_told(const Node& gpu) {
  if (const auto number = nvml_number(gpu)) return *number;
  return gpu.attributes.contains("index") ? number_of(gpu.attributes, "index") : View::none;
}

}  // namespace

View::View(const Graph& graph)
    : graph_(graph),
      parents_(graph.nodes.size(), none),
      a_(graph.links.size(), none),
      b_(graph.links.size(), none),
      gpu_numbers_(graph.nodes.size(), none),
      children_(graph.nodes.size()),
      ends_(graph.nodes.size()) {
  places_.reserve(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) places_.try_emplace(graph.nodes[i].key, i);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind == Kind::machine) ++machines_;
    const std::size_t holder = graph.nodes[i].parent.empty() ? none : place(graph.nodes[i].parent);
    if (holder == none || holder >= i) continue;  // depth-first order: no chain of parents is a circle
    parents_[i] = holder;
    children_[holder].push_back(i);
  }
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    a_[i] = place(graph.links[i].a);
    b_[i] = place(graph.links[i].b);
    if (a_[i] != none) ends_[a_[i]].push_back(i);
    if (b_[i] != none && b_[i] != a_[i]) ends_[b_[i]].push_back(i);
  }
  number_gpus();
}

void View::number_gpus() {
  std::map<std::size_t, std::vector<std::size_t>> of_machine;
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].kind == Kind::gpu) of_machine[machine(i)].push_back(i);
  for (const auto& [machine, gpus] : of_machine) {
    const bool told = std::all_of(gpus.begin(), gpus.end(), [&](std::size_t gpu) { return number_told(node(gpu)) != none; });
    for (std::size_t i = 0; i < gpus.size(); ++i) gpu_numbers_[gpus[i]] = told ? number_told(node(gpus[i])) : i;
  }
}

std::size_t View::place(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? none : found->second;
}

std::size_t View::above(std::size_t node, Kind kind) const {
  while (node != none && graph_.nodes[node].kind != kind) node = parents_[node];
  return node;
}

std::size_t View::pcie_above(std::size_t node) const {
  for (const std::size_t link : ends_[node])
    if (graph_.links[link].kind == LinkKind::pcie && b_[link] == node && a_[link] != none) return link;
  return none;
}

std::string View::label(std::size_t at) const {
  const Node& it = node(at);
  const auto verbs = list_of(it.attributes, "verbs");
  if (it.kind == Kind::nic && !verbs.empty()) return verbs.front();
  return it.name.empty() ? it.key : it.name;
}

std::string View::address(std::size_t at) const {
  const Node& it = node(at);
  std::string_view key = it.key;
  if (const std::size_t holder = machine(at); holder != none && holder != at)
    if (const std::string& host = node(holder).key; key.starts_with(host) && key.substr(host.size()).starts_with('/'))
      key.remove_prefix(host.size() + 1);
  if (key.starts_with("os:")) key.remove_prefix(3);
  // A number behind a word, which the name has too: "NUMA 0", "PCIe root 0000:3a".
  for (const std::string_view word : {"package", "numa", "pci"})
    if (key.starts_with(word) && key.size() > word.size() && key[word.size()] >= '0' && key[word.size()] <= '9') {
      const std::string_view number = key.substr(word.size());
      if (it.name.ends_with(number) && it.kind != Kind::package) return {};
      return fmt::format("{} {}", word == "numa" ? "NUMA" : word, number);
    }
  const bool named = key == it.name || it.kind == Kind::machine || !text_of(it.attributes, "slurm").empty();
  return named ? std::string() : std::string(key);
}

std::string View::spoken(std::size_t at, unsigned port) const {
  if (at == none) return "a node that is not in the graph";
  const Node& it = node(at);
  std::string text;
  switch (it.kind) {
    case Kind::machine:
      return it.name.empty() ? it.key : it.name;
    case Kind::gpu:
      text = fmt::format("GPU {} ({}{}{})", gpu_numbers_[at], it.name, address(at).empty() ? "" : ", ", address(at));
      break;
    case Kind::port:
    case Kind::rack:
    case Kind::rail:
      text = it.name;
      break;
    case Kind::fabric_switch:
      text = address(at).empty() ? "switch " + it.name : fmt::format("switch {} ({})", it.name, address(at));
      break;
    default: {
      std::string more = label(at) == it.name ? std::string() : it.name;
      if (const std::string where = address(at); !where.empty()) more += (more.empty() ? "" : ", ") + where;
      text = more.empty() ? label(at) : fmt::format("{} ({})", label(at), more);
    }
  }
  if (port != 0 && it.kind != Kind::port) text = fmt::format("port {} of {}", port, text);
  if (const std::size_t holder = machine(at); machines_ > 1 && holder != none) text += " of " + spoken(holder);
  return text;
}

NodePort View::node_port(std::size_t at, unsigned port) const {
  return {at == none ? std::string() : node(at).key, port, spoken(at, port)};
}

}  // namespace railgauge::topo

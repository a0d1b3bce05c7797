// Classes of paths: first links that join two devices directly, then NVSwitches, then what was told, then the PCIe tree.
#include "topo/path.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <numeric>
#include <ranges>

namespace railgauge::topo {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

constexpr auto rows = std::to_array<PathClassRow>({
    {PathClass::loc, "LOC", "the same device, or parts of one"},
    {PathClass::nv, "NV", "as many NVLinks (XGMI#: xGMI links), direct or through NVSwitches"},
    {PathClass::c2c, "C2C", "NVLink-C2C between processor and GPU"},
    {PathClass::pix, "PIX", "PCIe through at most one switch"},
    {PathClass::pxb, "PXB", "PCIe through several switches, but no host bridge"},
    {PathClass::phb, "PHB", "PCIe through a host bridge"},
    {PathClass::node, "NODE", "PCIe through several host bridges of one NUMA node"},
    {PathClass::sys, "SYS", "PCIe and the link between NUMA nodes"},
    {PathClass::none, "N/A", "no path is known"},
});
static_assert(rows.size() == static_cast<std::size_t>(PathClass::none) + 1);

void add(Bandwidth& into, const Bandwidth& more) {
  into.line += more.line;
  into.nominal += more.nominal;
  into.usable += more.usable;
}

// What is unknown of one is unknown of both.
Bandwidth lesser(const Bandwidth& a, const Bandwidth& b) {
  return {std::min(a.line, b.line), std::min(a.nominal, b.nominal), std::min(a.usable, b.usable)};
}

void narrow(Path& path, const Link* link) {
  path.route.push_back(link);
  const double value = best_known(link->bandwidth);
  if (value <= 0 || (path.bottleneck != nullptr && best_known(path.bottleneck->bandwidth) <= value)) return;
  path.bottleneck = link;
  path.bandwidth = link->bandwidth;
}

}  // namespace

std::span<const PathClassRow> path_classes() noexcept { return rows; }
const PathClassRow& row(PathClass path_class) noexcept { return rows[static_cast<std::size_t>(path_class)]; }

PathClass path_class_of(std::string_view word) noexcept {
  if (word == "SOC") return PathClass::sys;  // of drivers before 2018
  if (word == "X") return PathClass::loc;
  const std::size_t letters = std::min(word.find_first_of("0123456789"), word.size());
  const bool digits =
      std::all_of(word.begin() + static_cast<std::ptrdiff_t>(letters), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::string_view stem = word.substr(0, letters);
  if (digits && (stem == "NV" || stem == "XGMI")) return PathClass::nv;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const PathClassRow& it) { return it.word == word; });
  return found == rows.end() ? PathClass::none : found->path_class;
}

double best_known(const Bandwidth& bandwidth) noexcept {
  if (bandwidth.usable > 0) return bandwidth.usable;
  return bandwidth.nominal > 0 ? bandwidth.nominal : bandwidth.line;
}

Paths::Paths(const Graph& graph) : graph_(graph) {
  const std::size_t count = graph.nodes.size();
  places_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) places_.try_emplace(graph.nodes[i].key, i);
  parents_.assign(count, none);
  depths_.assign(count, 0);
  up_.assign(count, nullptr);
  beside_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    numa_nodes_ += graph.nodes[i].kind == Kind::numa ? 1 : 0;
    const std::size_t parent = graph.nodes[i].parent.empty() ? none : find(graph.nodes[i].parent);
    if (parent == none || parent >= i) continue;  // a graph has parents first, so there are no cycles
    parents_[i] = parent;
    depths_[i] = depths_[parent] + 1;
  }
  for (const Link& link : graph.links) {
    const std::size_t a = find(link.a);
    const std::size_t b = find(link.b);
    if (a == none || b == none || a == b) continue;
    const bool tree = link.kind == LinkKind::pcie || link.kind == LinkKind::internal;
    if (tree && parents_[b] == a && up_[b] == nullptr)
      up_[b] = &link;
    else if (tree && parents_[a] == b && up_[a] == nullptr)
      up_[a] = &link;
    else if (joins_gpus(link.kind) || link.kind == LinkKind::c2c || link.kind == LinkKind::cpu || link.kind == LinkKind::path) {
      beside_[a].push_back({b, &link});
      beside_[b].push_back({a, &link});
    }
  }
  join_switches();
}

std::size_t Paths::find(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? none : found->second;
}

// NVSwitches that are joined are one domain: its number is that of one of them.
void Paths::join_switches() {
  domains_.resize(graph_.nodes.size());
  std::iota(domains_.begin(), domains_.end(), std::size_t{0});
  const auto top = [&](std::size_t node) {
    while (domains_[node] != node) node = domains_[node] = domains_[domains_[node]];
    return node;
  };
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
    for (const Beside& it : beside_[i])
      if (graph_.nodes[i].kind == Kind::nvswitch && graph_.nodes[it.node].kind == Kind::nvswitch) domains_[top(i)] = top(it.node);
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) domains_[i] = top(i);
}

// Links are told of a GPU's partition or of the GPU, of a NIC's port or of the NIC.
std::vector<std::size_t> Paths::ends(std::size_t node) const {
  const Kind kind = graph_.nodes[node].kind;
  if ((kind == Kind::partition || kind == Kind::port) && parents_[node] != none) return {node, parents_[node]};
  return {node};
}

bool Paths::direct(std::size_t a, std::size_t b, Path& path) const {
  const std::vector<std::size_t> froms = ends(a);
  const std::vector<std::size_t> tos = ends(b);
  const auto each = [&](const auto& wanted, const auto& take) {
    bool found = false;
    for (const std::size_t from : froms)
      for (const Beside& it : beside_[from])
        if (wanted(it.link->kind) && std::find(tos.begin(), tos.end(), it.node) != tos.end()) {
          take(*it.link);
          found = true;
        }
    return found;
  };
  const auto joined = [&](const Link& link) {
    path.count += link.count;
    path.route.push_back(&link);
    add(path.bandwidth, link.bandwidth);
    if (path.bottleneck == nullptr && best_known(link.bandwidth) > 0) path.bottleneck = &link;
  };
  if (each(joins_gpus, joined)) {
    path.path_class = PathClass::nv;
    return true;
  }
  if (!each([](LinkKind kind) { return kind == LinkKind::c2c; }, [&](const Link& link) { narrow(path, &link); })) return false;
  path.path_class = PathClass::c2c;
  return true;
}

std::unordered_map<std::size_t, Paths::Share> Paths::shares(std::size_t device) const {
  std::unordered_map<std::size_t, Share> all;
  for (const std::size_t end : ends(device))
    for (const Beside& it : beside_[end]) {
      if (!joins_gpus(it.link->kind) || graph_.nodes[it.node].kind != Kind::nvswitch) continue;
      Share& share = all[domains_[it.node]];
      share.count += it.link->count;
      add(share.bandwidth, it.link->bandwidth);
      share.links.push_back(it.link);
    }
  return all;
}

bool Paths::through_switches(std::size_t a, std::size_t b, Path& path) const {
  const auto of_a = shares(a);
  const auto of_b = shares(b);
  if (graph_.nodes[b].kind == Kind::nvswitch || graph_.nodes[a].kind == Kind::nvswitch) return false;
  std::vector<std::size_t> common;
  for (const auto& share : of_a)
    if (of_b.contains(share.first)) common.push_back(share.first);
  if (common.empty()) return false;
  std::sort(common.begin(), common.end());
  path.path_class = PathClass::nv;
  for (const std::size_t domain : common) {
    const Share& one = of_a.at(domain);
    const Share& other = of_b.at(domain);
    path.count += std::min(one.count, other.count);
    add(path.bandwidth, lesser(one.bandwidth, other.bandwidth));
    path.route.insert(path.route.end(), one.links.begin(), one.links.end());
    const Share& narrower = best_known(other.bandwidth) < best_known(one.bandwidth) ? other : one;
    if (path.bottleneck == nullptr && best_known(narrower.bandwidth) > 0) path.bottleneck = narrower.links.front();
  }
  for (const std::size_t domain : common)
    path.route.insert(path.route.end(), of_b.at(domain).links.begin(), of_b.at(domain).links.end());
  return true;
}

Paths::Ascent Paths::ascent(std::size_t a, std::size_t b) const {
  Ascent ascent{{}, {}, none};
  while (a != b) {
    const bool from_a = depths_[a] >= depths_[b];
    std::size_t& deeper = from_a ? a : b;
    (from_a ? ascent.from_a : ascent.from_b).push_back(deeper);
    deeper = parents_[deeper];
    if (deeper == none) return ascent;
  }
  ascent.above = a;
  return ascent;
}

PathClass Paths::classify(const Ascent& ascent, std::size_t a, std::size_t b) const {
  if (ascent.above == none) return PathClass::none;
  const auto kind = [&](std::size_t node) { return graph_.nodes[node].kind; };
  const auto has = [&](const std::vector<std::size_t>& nodes, Kind wanted) {
    return std::any_of(nodes.begin(), nodes.end(), [&](std::size_t node) { return kind(node) == wanted; });
  };
  // The ends themselves are not crossed.
  const auto crosses = [&](const std::vector<std::size_t>& nodes) {
    return nodes.size() > 1 && has({nodes.begin() + 1, nodes.end()}, Kind::pci_switch);
  };
  const bool ancestor = ascent.above == a || ascent.above == b;
  switch (kind(ascent.above)) {
    case Kind::pci_bridge:
    case Kind::pci_switch:
      return crosses(ascent.from_a) || crosses(ascent.from_b) ? PathClass::pxb : PathClass::pix;
    case Kind::pci_root:
      return PathClass::phb;
    case Kind::numa:
      return !ancestor && has(ascent.from_a, Kind::pci_root) && has(ascent.from_b, Kind::pci_root) ? PathClass::node
                                                                                                   : PathClass::phb;
    case Kind::package:
    case Kind::machine: {
      if (ancestor) return kind(a) == Kind::numa || kind(b) == Kind::numa || kind(a) == kind(b) ? PathClass::loc : PathClass::phb;
      const auto placed = [&](const std::vector<std::size_t>& nodes) {
        return has(nodes, Kind::pci_root) || has(nodes, Kind::numa) || has(nodes, Kind::package);
      };
      if (!placed(ascent.from_a) || !placed(ascent.from_b)) return PathClass::none;
      const bool roots = kind(ascent.from_a.back()) == Kind::pci_root && kind(ascent.from_b.back()) == Kind::pci_root;
      return roots || numa_nodes_ < 2 ? PathClass::node : PathClass::sys;
    }
    case Kind::rail:
    case Kind::rack:
      return PathClass::none;
    default:
      return PathClass::loc;  // two parts of one device, or a device and its part
  }
}

void Paths::through_tree(std::size_t a, std::size_t b, Path& path) const {
  const Ascent found = ascent(a, b);
  path.path_class = classify(found, a, b);
  if (path.path_class == PathClass::none) return;
  for (const std::size_t node : found.from_a)
    if (up_[node] != nullptr) narrow(path, up_[node]);
  for (const std::size_t one : found.from_a)
    for (const Beside& it : beside_[one])
      if (it.link->kind == LinkKind::cpu && std::find(found.from_b.begin(), found.from_b.end(), it.node) != found.from_b.end())
        narrow(path, it.link);
  for (const std::size_t node : found.from_b | std::views::reverse)
    if (up_[node] != nullptr) narrow(path, up_[node]);
}

Path Paths::between(std::string_view a, std::string_view b) const {
  Path path;
  const std::size_t from = find(a);
  const std::size_t to = find(b);
  if (from == none || to == none) return path;
  if (from == to)
    path.path_class = PathClass::loc;
  else if (!direct(from, to, path) && !through_switches(from, to, path)) {
    for (const Beside& it : beside_[from])
      if (it.link->kind == LinkKind::path && it.node == to) path.path_class = path_class_of(text_of(it.link->attributes, "path"));
    const PathClass told = path.path_class;
    through_tree(from, to, path);
    if (told != PathClass::none) path.path_class = told;
  }
  return path;
}

}  // namespace railgauge::topo

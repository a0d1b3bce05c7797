// Draws a shape, a link and a kind of damage.
#include "tests/topo/damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tests/topo/generate.hpp"

namespace railgauge::test {
namespace {

using topo::Fabric;
using topo::FabricKind;
using topo::FabricPort;

bool is_switch(const Fabric& fabric, std::size_t node) { return fabric.nodes[node].kind == FabricKind::fabric_switch; }

// "leaf", "spine" or "core"; of an adapter the machine's name.
std::string name_of(const Fabric& fabric, std::size_t node) {
  const std::string& text = fabric.nodes[node].description;
  return is_switch(fabric, node) ? topo::read_switch_description(text).system : text.substr(0, text.find(' '));
}
std::string tier_of(const Fabric& fabric, std::size_t node) {
  if (!is_switch(fabric, node)) return "host";
  const std::string name = name_of(fabric, node);
  return name.starts_with("leaf") ? "leaf" : name.starts_with("spine") ? "spine" : "core";
}

std::vector<std::string> keys_of(const Fabric& fabric, std::size_t node, unsigned port) {
  const std::string& key = fabric.nodes[node].key;
  if (is_switch(fabric, node)) return {key};
  return {key, fmt::format("{}/{}", key, port), name_of(fabric, node)};
}

// Places in Fabric::ports of the lower end of each cable.
std::vector<std::size_t> lower_ends(const Fabric& fabric) {
  const auto height = [&](std::size_t node) {
    const std::string tier = tier_of(fabric, node);
    return tier == "host" ? 0 : tier == "leaf" ? 1 : tier == "spine" ? 2 : 3;
  };
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < fabric.ports.size(); ++i)
    if (fabric.ports[i].peer != topo::no_node && height(fabric.ports[i].node) < height(fabric.ports[i].peer)) ends.push_back(i);
  return ends;
}

Cable cable_of(const Fabric& fabric, std::size_t end) {
  const FabricPort& it = fabric.ports[end];
  return {keys_of(fabric, it.node, it.number), keys_of(fabric, it.peer, it.peer_number)};
}

std::string words_of(const Fabric& fabric, std::size_t end) {
  const FabricPort& it = fabric.ports[end];
  return fmt::format("{} port {} to {} port {}", fabric.nodes[it.node].description, it.number, fabric.nodes[it.peer].description,
                     it.peer_number);
}

std::size_t peer_end(const Fabric& fabric, std::size_t end) {
  for (std::size_t i = 0; i < fabric.ports.size(); ++i)
    if (fabric.ports[i].node == fabric.ports[end].peer && fabric.ports[i].number == fabric.ports[end].peer_number) return i;
  return end;
}

std::size_t adapters_of_host(const Fabric& fabric, std::size_t node) {
  const std::string name = name_of(fabric, node);
  return static_cast<std::size_t>(std::count_if(fabric.nodes.begin(), fabric.nodes.end(), [&](const topo::FabricNode& it) {
    return it.kind == FabricKind::adapter && it.description.starts_with(name + " ");
  }));
}

// Whether the two cables may be exchanged, so that the fabric is another one then.
bool may_swap(const Fabric& fabric, std::size_t one, std::size_t two) {
  const FabricPort& a = fabric.ports[one];
  const FabricPort& b = fabric.ports[two];
  if (a.node == b.node || a.peer == b.peer || tier_of(fabric, a.node) != tier_of(fabric, b.node) ||
      tier_of(fabric, a.peer) != tier_of(fabric, b.peer))
    return false;
  return is_switch(fabric, a.node) || (adapters_of_host(fabric, a.node) > 1 && adapters_of_host(fabric, b.node) > 1);
}

void remove(Fabric& fabric, std::size_t end, bool down) {
  const std::size_t other = peer_end(fabric, end);
  const std::size_t adapter = is_switch(fabric, fabric.ports[end].node) ? topo::no_node : fabric.ports[end].node;
  for (const std::size_t it : {end, other}) {
    fabric.ports[it].peer = topo::no_node;
    fabric.ports[it].peer_number = 0;
    fabric.ports[it].state = topo::LinkState::down;
    fabric.ports[it].active = {};
  }
  if (down) return;
  // Nobody sees a port without a link, nor an adapter without one.
  std::erase_if(fabric.ports, [&](const FabricPort& it) { return it.peer == topo::no_node; });
  if (adapter == topo::no_node) return;
  fabric.nodes.erase(fabric.nodes.begin() + static_cast<std::ptrdiff_t>(adapter));
  for (FabricPort& it : fabric.ports) {
    if (it.node > adapter) --it.node;
    if (it.peer != topo::no_node && it.peer > adapter) --it.peer;
  }
}

void swap(Fabric& fabric, std::size_t one, std::size_t two) {
  const std::size_t one_peer = peer_end(fabric, one), two_peer = peer_end(fabric, two);
  const auto join = [&](std::size_t a, std::size_t b) {
    fabric.ports[a].peer = fabric.ports[b].node;
    fabric.ports[a].peer_number = fabric.ports[b].number;
    fabric.ports[b].peer = fabric.ports[a].node;
    fabric.ports[b].peer_number = fabric.ports[a].number;
  };
  join(one, two_peer);
  join(two, one_peer);
}

bool has(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// By both ends, or by the one end where a finding has no other: an adapter or its port, which has one cable.
bool names(const topo::Finding& finding, const Cable& cable) {
  if (finding.b.key.empty())
    return (cable.a.size() > 1 && (finding.a.key == cable.a[0] || finding.a.key == cable.a[1])) ||
           (cable.b.size() > 1 && (finding.a.key == cable.b[0] || finding.a.key == cable.b[1]));
  return (has(cable.a, finding.a.key) && has(cable.b, finding.b.key)) ||
         (has(cable.b, finding.a.key) && has(cable.a, finding.b.key));
}

}  // namespace

std::span<const ShapeRow> regular_shapes() {
  using Random = std::mt19937;
  const static auto any = [](Random& random, unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random() % (most - least + 1));
  };
  static const auto rows = std::to_array<ShapeRow>({
      {"two tiers",
       [](Random& random) {
         return two_tiers(std::vector<unsigned>(any(random, 4, 16), any(random, 8, 24)), any(random, 3, 8));
       }},
      {"two tiers, two links a pair",
       [](Random& random) { return two_tiers(std::vector<unsigned>(any(random, 5, 12), 16), any(random, 4, 8), 2); }},
      {"two tiers, uneven hosts",
       [](Random& random) {
         std::vector<unsigned> hosts;
         for (unsigned leaf = any(random, 6, 12); leaf > 0; --leaf) hosts.push_back(any(random, 9, 32));
         return two_tiers(hosts, any(random, 3, 8));
       }},
      {"three tiers", [](Random& random) { return fat_tree(2 * any(random, 3, 5)); }},
      {"rails", [](Random& random) { return rail_optimised(32 * any(random, 2, 4), 8); }},
      {"rails, uneven hosts", [](Random& random) { return rail_optimised(any(random, 70, 120), 4); }},
      {"rails in three tiers", [](Random& random) { return rail_optimised(any(random, 260, 330), 8); }},
  });
  return rows;
}

Damaged damage(std::mt19937& random) {
  const ShapeRow& shape = regular_shapes()[random() % regular_shapes().size()];
  Fabric fabric = shape.make(random);
  Damaged damaged;
  damaged.shape = shape.name;
  damaged.damage = static_cast<Damage>(random() % 4);
  const bool live = random() % 2 == 0;
  const std::vector<std::size_t> ends = lower_ends(fabric);
  std::size_t end = ends[random() % ends.size()];
  if (damaged.damage == Damage::swapped) {
    std::size_t other = ends[random() % ends.size()];
    while (!may_swap(fabric, end, other)) {
      end = ends[random() % ends.size()];
      other = ends[random() % ends.size()];
    }
    damaged.before = {cable_of(fabric, end), cable_of(fabric, other)};
    damaged.descriptions = {words_of(fabric, end), words_of(fabric, other)};
    swap(fabric, end, other);
    damaged.cables = {cable_of(fabric, end), cable_of(fabric, other)};
  } else {
    damaged.cables = {cable_of(fabric, end)};
    damaged.descriptions = {words_of(fabric, end)};
  }
  const topo::Rate slow{4, random() % 2 == 0 ? 53.125 : 25.78125};
  const topo::Rate narrow{random() % 2 == 0 ? 1U : 2U, 106.25};
  if (damaged.damage == Damage::slowed || damaged.damage == Damage::narrowed) {
    const topo::Rate& rate = damaged.damage == Damage::slowed ? slow : narrow;
    const std::size_t other = peer_end(fabric, end);
    fabric.ports[end].active = fabric.ports[other].active = rate;
  }
  // The only adapter of a host: without its link nobody would know of the host, which is no fault of a link then.
  const bool lone = !is_switch(fabric, fabric.ports[end].node) && adapters_of_host(fabric, fabric.ports[end].node) == 1;
  if (damaged.damage == Damage::removed) remove(fabric, end, live || lone);
  if (!live)
    for (FabricPort& port : fabric.ports) port.capable = {};
  damaged.graph = topo::to_graph(fabric);
  return damaged;
}

Answer judge(const Damaged& damaged, const std::vector<topo::Finding>& findings) {
  Answer answer;
  std::vector<bool> named(damaged.cables.size());
  for (const topo::Finding& finding : findings) {
    if (finding.severity == topo::Severity::note) continue;
    bool known = false;
    for (std::size_t i = 0; i < damaged.cables.size(); ++i) {
      const bool now = names(finding, damaged.cables[i]);
      const bool then = !damaged.before.empty() && names(finding, damaged.before[i]);
      named[i] = named[i] || now || then;
      known = known || now || then;
    }
    if (!known) answer.others.push_back(topo::headline(finding));
  }
  answer.named = std::all_of(named.begin(), named.end(), [](bool it) { return it; });
  return answer;
}

}  // namespace railgauge::test

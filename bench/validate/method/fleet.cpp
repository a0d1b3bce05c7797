// Where hosts stand to each other, and what lies between them.
#include "bench/validate/method/fleet.hpp"

#include <algorithm>

namespace railgauge::validate {
namespace {

// Whether a component is crossed in the direction that is asked.
bool wanted(Direction direction, bool out, bool in) {
  switch (direction) {
    case Direction::out:
      return out;
    case Direction::in:
      return in;
    case Direction::both:
      return out || in;
  }
  return false;
}

}  // namespace

void join_sets(Fleet& fleet) {
  std::vector<Index> smaller(fleet.switches.size());  // of the same set, or itself
  for (Index i = 0; i < smaller.size(); ++i) smaller[i] = i;
  const auto first = [&](Index one) {
    while (smaller[one] != one) one = smaller[one];
    return one;
  };
  std::vector<Index> above(fleet.switches.size());
  // Tier by tier: what is above one set is one set.
  for (const Tier tier : {Tier::leaf, Tier::spine}) {
    std::fill(above.begin(), above.end(), npos);
    for (const Cable& cable : fleet.cables) {
      if (fleet.switches[cable.a].tier != tier) continue;
      Index& its = above[first(cable.a)];
      if (its == npos) its = cable.b;
      const Index a = first(its), b = first(cable.b);
      smaller[std::max(a, b)] = std::min(a, b);
    }
    for (Index i = 0; i < smaller.size(); ++i)
      if (const Index up = above[first(i)]; fleet.switches[i].tier == tier && up != npos) fleet.switches[i].above = up;
  }
  for (Index i = 0; i < smaller.size(); ++i) {
    Switch& it = fleet.switches[i];
    it.set = first(i);
    if (it.above != npos) it.above = first(it.above);
  }
}

Index leaf_of(const Fleet& fleet, Index host, Index rail) {
  const Host& it = fleet.hosts[host];
  return rail < it.rails.size() ? it.rails[rail].leaf : npos;
}

Distance distance(const Fleet& fleet, Index a, Index b, Index rail) {
  const Index leaf_a = leaf_of(fleet, a, rail), leaf_b = leaf_of(fleet, b, rail);
  if (leaf_a == npos || leaf_b == npos) return Distance::unknown;
  if (leaf_a == leaf_b) return Distance::leaf;
  return fleet.hosts[a].pod == fleet.hosts[b].pod ? Distance::pod : Distance::pods;
}

SetsPassed sets_passed(const Fleet& fleet, Index from, Index to, Index rail) {
  SetsPassed it;
  const auto side = [&](Index host) {
    SetsPassed::Side of;
    of.leaf = leaf_of(fleet, host, rail);
    if (of.leaf != npos) of.set = fleet.switches[of.leaf].above;
    if (of.set != npos) of.top = fleet.switches[of.set].above;
    return of;
  };
  it.up = side(from);
  it.down = side(to);
  it.leaves = it.up.leaf != it.down.leaf && it.up.set != npos && it.down.set != npos;
  it.above = it.leaves && it.up.set != it.down.set;
  return it;
}

bool crosses(const Fleet& fleet, const Component& component, Index from, Index to, Index rail, std::span<const Hop> hops) {
  const Index at = component.at;
  switch (component.kind) {
    case ComponentKind::host:
      return wanted(component.direction, from == at, to == at);
    case ComponentKind::nic:
      return rail == component.rail && wanted(component.direction, from == at, to == at);
    case ComponentKind::leaf:
      return leaf_of(fleet, from, rail) == at || leaf_of(fleet, to, rail) == at;
    case ComponentKind::spine:
      return std::any_of(hops.begin(), hops.end(),
                         [&](const Hop& hop) { return fleet.cables[hop.cable].a == at || fleet.cables[hop.cable].b == at; });
    case ComponentKind::uplink:
    case ComponentKind::spine_link:
      return std::any_of(hops.begin(), hops.end(),
                         [&](const Hop& hop) { return hop.cable == at && wanted(component.direction, !hop.down, hop.down); });
    case ComponentKind::uplinks:
    case ComponentKind::spines:
    case ComponentKind::spine_links: {
      const SetsPassed sets = sets_passed(fleet, from, to, rail);
      if (component.kind == ComponentKind::uplinks)
        return sets.leaves && wanted(component.direction, sets.up.leaf == at, sets.down.leaf == at);
      if (component.kind == ComponentKind::spine_links)
        return sets.above && wanted(component.direction, sets.up.set == at, sets.down.set == at);
      return sets.leaves &&
             (sets.up.set == at || sets.down.set == at || (sets.above && (sets.up.top == at || sets.down.top == at)));
    }
  }
  return false;
}

}  // namespace railgauge::validate

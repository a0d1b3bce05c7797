// Where hosts stand to each other, and what lies between them.
#include "bench/validate/fleet.hpp"

#include <algorithm>

namespace railgauge::validate {
namespace {

// Whether a part with two ways is passed the way that is asked.
bool wanted(Way way, bool out, bool in) {
  switch (way) {
    case Way::out:
      return out;
    case Way::in:
      return in;
    case Way::both:
      return out || in;
  }
  return false;
}

}  // namespace

Index leaf_of(const Fleet& fleet, Index host, Index rail) {
  const Host& it = fleet.hosts[host];
  return rail < it.rails.size() ? it.rails[rail].leaf : nowhere;
}

Distance distance(const Fleet& fleet, Index a, Index b, Index rail) {
  const Index leaf_a = leaf_of(fleet, a, rail), leaf_b = leaf_of(fleet, b, rail);
  if (leaf_a == nowhere || leaf_b == nowhere) return Distance::unknown;
  if (leaf_a == leaf_b) return Distance::leaf;
  return fleet.hosts[a].pod == fleet.hosts[b].pod ? Distance::pod : Distance::pods;
}

bool crosses(const Fleet& fleet, const Component& component, Index from, Index to, Index rail, std::span<const Hop> hops) {
  const Index at = component.at;
  switch (component.part) {
    case Part::host:
      return wanted(component.way, from == at, to == at);
    case Part::nic:
      return rail == component.rail && wanted(component.way, from == at, to == at);
    case Part::leaf:
      return leaf_of(fleet, from, rail) == at || leaf_of(fleet, to, rail) == at;
    case Part::spine:
      return std::any_of(hops.begin(), hops.end(),
                         [&](const Hop& hop) { return fleet.cables[hop.cable].a == at || fleet.cables[hop.cable].b == at; });
    case Part::uplink:
    case Part::spine_link:
      return std::any_of(hops.begin(), hops.end(),
                         [&](const Hop& hop) { return hop.cable == at && wanted(component.way, !hop.down, hop.down); });
  }
  return false;
}

}  // namespace railgauge::validate

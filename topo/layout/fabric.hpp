// A fabric with the marks of its findings, as the pictures of fabrics need it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "topo/fabric/fabric.hpp"
#include "topo/layout/layout.hpp"
#include "topo/layout/marks.hpp"

namespace railgauge::topo::layout {

using fabric::Host;
using fabric::natural_less;
using fabric::npos;
using fabric::Peer;
using fabric::Shape;
using fabric::Switch;
using fabric::Uplink;

// A link between two switches that is missing.
struct Gap {
  std::uint32_t from, to;  // places in Fabric::switches
  const Finding* finding;
};

// A switch is odd when a fault or warning is about one of its links to another switch, or about the switch; a host when one is
// about it, its NICs or their links.
struct Fabric : fabric::Fabric {
  Fabric(fabric::Fabric structure, const Marks& found);

  const Marks* marks;  // not owned
  std::vector<bool> odd_switches, odd_hosts;
  std::unordered_set<std::uint32_t> wrong_links;  // places in Graph::links
  std::vector<Gap> gaps;

  [[nodiscard]] bool odd(const Switch& it) const { return odd_switches[static_cast<std::size_t>(&it - switches.data())]; }
  [[nodiscard]] bool odd(const Host& it) const { return odd_hosts[static_cast<std::size_t>(&it - hosts.data())]; }
  [[nodiscard]] bool wrong(const std::vector<std::uint32_t>& links) const {
    return std::any_of(links.begin(), links.end(), [&](std::uint32_t it) { return wrong_links.contains(it); });
  }
  [[nodiscard]] bool wrong(const Uplink& it) const { return it.link != npos && wrong_links.contains(it.link); }
};

// Names an end of a link for people: "leaf-3 port 7".
[[nodiscard]] std::string end_words(const Fabric& fabric, const std::string& key, unsigned port);

// Each adds the fabric, or a part of it, below the present boxes of the picture.
void add_fabric(Picture& picture, const Fabric& fabric);
void add_tiers(Picture& picture, const Fabric& fabric);
void add_dragonfly(Picture& picture, const Fabric& fabric);
void add_torus(Picture& picture, const Fabric& fabric);
void add_fabric_tables(Picture& picture, const Fabric& fabric);

}  // namespace railgauge::topo::layout

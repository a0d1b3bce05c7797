// Builds fabrics switch by switch and cable by cable.
#include "tests/topo/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace railgauge::test {
namespace {

using topo::Fabric;
using topo::FabricKind;
using topo::FabricPort;

constexpr topo::Rate ndr{4, 106.25};

class Builder {
 public:
  Builder() {
    fabric_.source = "ibnetdiscover";
    fabric_.origin = "generated";
  }

  std::size_t add_switch(const std::string& name, unsigned ports) {
    return add({.key = fmt::format("0xb8599f03{:08x}", fabric_.nodes.size() + 1),
                .kind = FabricKind::fabric_switch,
                .description = fmt::format("MF0;{}:MQM9700/U1", name),
                .ports = ports,
                .attributes = {}});
  }
  std::size_t add_adapter(unsigned host, unsigned device) {
    return add({.key = fmt::format("0x0c42a103{:08x}", fabric_.nodes.size() + 1),
                .kind = FabricKind::adapter,
                .description = fmt::format("node{:05} mlx5_{}", host + 1, device),
                .ports = 1,
                .attributes = {}});
  }
  // By the next free ports where none are named.
  void cable(std::size_t a, std::size_t b, unsigned a_port = 0, unsigned b_port = 0) {
    if (a_port == 0) a_port = used_[a] + 1;
    if (b_port == 0) b_port = used_[b] + 1;
    used_[a] = std::max(used_[a], a_port);
    used_[b] = std::max(used_[b], b_port);
    end(a, a_port, b, b_port);
    end(b, b_port, a, a_port);
  }
  Fabric take() {
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) fabric_.nodes[i].ports = std::max(fabric_.nodes[i].ports, used_[i]);
    return std::move(fabric_);
  }

 private:
  std::size_t add(topo::FabricNode node) {
    fabric_.nodes.push_back(std::move(node));
    used_.push_back(0);
    return fabric_.nodes.size() - 1;
  }
  void end(std::size_t node, unsigned number, std::size_t peer, unsigned peer_number) {
    FabricPort& port = fabric_.ports.emplace_back();
    port.node = node;
    port.number = number;
    port.peer = peer;
    port.peer_number = peer_number;
    port.active = port.capable = ndr;
    port.state = topo::LinkState::active;
  }

  Fabric fabric_;
  std::vector<unsigned> used_;
};

FabricPort& port_of(Fabric& fabric, std::size_t node, unsigned number) {
  for (FabricPort& port : fabric.ports)
    if (port.node == node && port.number == number) return port;
  throw std::runtime_error(fmt::format("there is no cable at port {} of {}", number, fabric.nodes[node].description));
}

}  // namespace

Fabric fat_tree(unsigned k) {
  Builder builder;
  const unsigned half = k / 2;
  std::vector<std::size_t> cores;
  for (unsigned core = 0; core < half * half; ++core) cores.push_back(builder.add_switch(fmt::format("core{:04}", core + 1), k));
  unsigned host = 0;
  for (unsigned pod = 0; pod < k; ++pod) {
    std::vector<std::size_t> spines;
    for (unsigned spine = 0; spine < half; ++spine) {
      spines.push_back(builder.add_switch(fmt::format("spine-p{:02}-{:02}", pod + 1, spine + 1), k));
      for (unsigned core = 0; core < half; ++core)
        builder.cable(spines.back(), cores[spine * half + core], half + 1 + core, pod + 1);
    }
    for (unsigned leaf = 0; leaf < half; ++leaf) {
      const std::size_t at = builder.add_switch(fmt::format("leaf-p{:02}-{:02}", pod + 1, leaf + 1), k);
      for (unsigned i = 0; i < half; ++i) builder.cable(builder.add_adapter(host++, 0), at, 1, i + 1);
      for (unsigned spine = 0; spine < half; ++spine) builder.cable(at, spines[spine], half + 1 + spine, leaf + 1);
    }
  }
  return builder.take();
}

Fabric two_tiers(const std::vector<unsigned>& hosts, unsigned spines, unsigned links) {
  Builder builder;
  const unsigned radix = 64;
  std::vector<std::size_t> above;
  for (unsigned spine = 0; spine < spines; ++spine)
    above.push_back(builder.add_switch(fmt::format("spine{:02}", spine + 1), radix));
  unsigned host = 0;
  for (unsigned leaf = 0; leaf < hosts.size(); ++leaf) {
    const std::size_t at = builder.add_switch(fmt::format("leaf{:02}", leaf + 1), radix);
    for (unsigned i = 0; i < hosts[leaf]; ++i) builder.cable(builder.add_adapter(host++, 0), at, 1, i + 1);
    for (unsigned spine = 0; spine < spines; ++spine)
      for (unsigned link = 0; link < links; ++link)
        builder.cable(at, above[spine], 33 + spine * links + link, leaf * links + link + 1);
  }
  return builder.take();
}

Fabric rail_optimised(unsigned hosts, unsigned rails) {
  constexpr unsigned half = 32;
  constexpr unsigned radix = 64;
  Builder builder;
  const unsigned units = (hosts + half - 1) / half;
  std::vector<std::size_t> leaves;  // unit by unit
  for (unsigned unit = 0; unit < units; ++unit)
    for (unsigned rail = 0; rail < rails; ++rail)
      leaves.push_back(builder.add_switch(fmt::format("leaf-u{:02}-r{}", unit + 1, rail), radix));
  for (unsigned host = 0; host < hosts; ++host)
    for (unsigned rail = 0; rail < rails; ++rail)
      builder.cable(builder.add_adapter(host, rail), leaves[host / half * rails + rail], 1, host % half + 1);
  if (units <= 1) return builder.take();
  if (units * rails <= radix) {
    for (unsigned spine = 0; spine < half; ++spine) {
      const std::size_t at = builder.add_switch(fmt::format("spine{:02}", spine + 1), radix);
      for (unsigned leaf = 0; leaf < leaves.size(); ++leaf) builder.cable(leaves[leaf], at, half + 1 + spine, leaf + 1);
    }
    return builder.take();
  }
  const unsigned pods = (units + half - 1) / half;
  const unsigned group = std::max(1U, pods * rails / 2);  // cores that the spines of one number share
  std::vector<std::size_t> cores;
  for (unsigned core = 0; core < half * group; ++core)
    cores.push_back(builder.add_switch(fmt::format("core-{:02}-{:03}", core / group + 1, core % group + 1), radix));
  for (unsigned pod = 0; pod < pods; ++pod)
    for (unsigned rail = 0; rail < rails; ++rail)
      for (unsigned spine = 0; spine < half; ++spine) {
        const std::size_t at = builder.add_switch(fmt::format("spine-p{:02}-r{}-{:02}", pod + 1, rail, spine + 1), radix);
        for (unsigned unit = pod * half; unit < std::min(units, (pod + 1) * half); ++unit)
          builder.cable(leaves[unit * rails + rail], at, half + 1 + spine, unit % half + 1);
        for (unsigned up = 0; up < half; ++up)
          builder.cable(at, cores[spine * group + (up + half * (rail % std::max(1U, group / half))) % group], half + 1 + up);
      }
  return builder.take();
}

Fabric dragonfly(unsigned groups, unsigned switches, unsigned hosts, unsigned global_links) {
  Builder builder;
  std::vector<std::size_t> all;
  unsigned host = 0;
  for (unsigned i = 0; i < groups * switches; ++i) {
    all.push_back(builder.add_switch(fmt::format("group{:02}-{:02}", i / switches + 1, i % switches + 1),
                                     hosts + switches - 1 + global_links));
    for (unsigned port = 0; port < hosts; ++port) builder.cable(builder.add_adapter(host++, 0), all.back(), 1, port + 1);
  }
  for (unsigned first = 0; first < groups; ++first) {
    for (unsigned a = 0; a < switches; ++a)
      for (unsigned b = a + 1; b < switches; ++b)
        builder.cable(all[first * switches + a], all[first * switches + b], hosts + b, hosts + a + 1);
    // Channel c of a group goes to the c-th of the other groups, and round again while there are channels.
    const unsigned channels = switches * global_links;
    for (unsigned c = 0; groups > 1 && c < channels; ++c) {
      const unsigned target = c % (groups - 1);
      const unsigned second = target < first ? target : target + 1;
      if (second < first) continue;
      const unsigned back = c / (groups - 1) * (groups - 1) + first;
      if (back >= channels) continue;
      const unsigned base = hosts + switches;
      builder.cable(all[first * switches + c / global_links], all[second * switches + back / global_links],
                    base + c % global_links, base + back % global_links);
    }
  }
  return builder.take();
}

Fabric torus(unsigned x, unsigned y, unsigned z, unsigned hosts) {
  Builder builder;
  const unsigned sides[] = {x, y, z};
  std::vector<std::size_t> all;
  unsigned host = 0;
  for (unsigned i = 0; i < x * y * z; ++i) {
    all.push_back(builder.add_switch(fmt::format("torus-{}-{}-{}", i % x, i / x % y, i / (x * y)), hosts + 6));
    for (unsigned port = 0; port < hosts; ++port) builder.cable(builder.add_adapter(host++, 0), all.back(), 1, port + 1);
  }
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned step = 1;
    for (unsigned side = 0; side < 3; step *= sides[side], ++side) {
      if (sides[side] == 1) continue;
      const unsigned at = i / step % sides[side];
      const unsigned next = at + 1 == sides[side] ? i - at * step : i + step;
      builder.cable(all[i], all[next], hosts + 2 * side + 1, hosts + 2 * side + 2);
    }
  }
  return builder.take();
}

std::size_t place_of(const Fabric& fabric, const std::string& name) {
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i)
    if (const std::string& text = fabric.nodes[i].description; text == name || topo::read_switch_description(text).system == name)
      return i;
  throw std::runtime_error("there is no " + name);
}

void swap_cables(Fabric& fabric, const std::string& a, unsigned a_port, const std::string& b, unsigned b_port) {
  FabricPort& one = port_of(fabric, place_of(fabric, a), a_port);
  FabricPort& two = port_of(fabric, place_of(fabric, b), b_port);
  FabricPort& one_peer = port_of(fabric, one.peer, one.peer_number);
  FabricPort& two_peer = port_of(fabric, two.peer, two.peer_number);
  const auto join = [](FabricPort& here, FabricPort& there) {
    here.peer = there.node;
    here.peer_number = there.number;
    there.peer = here.node;
    there.peer_number = here.number;
  };
  join(one, two_peer);
  join(two, one_peer);
}

void set_rate(Fabric& fabric, const std::string& name, unsigned port, const topo::Rate& rate) {
  FabricPort& here = port_of(fabric, place_of(fabric, name), port);
  here.active = rate;
  port_of(fabric, here.peer, here.peer_number).active = rate;
}

void unplug(Fabric& fabric, const std::string& name, unsigned port) {
  FabricPort& here = port_of(fabric, place_of(fabric, name), port);
  FabricPort& there = port_of(fabric, here.peer, here.peer_number);
  for (FabricPort* end : {&here, &there}) {
    end->peer = topo::no_node;
    end->peer_number = 0;
    end->state = topo::LinkState::down;
    end->active = {};
  }
}

}  // namespace railgauge::test

// Which switches, hosts and links of a fabric stand apart.
#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "topo/layout/fabric.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {

Fabric::Fabric(fabric::Fabric structure, const Marks& found)
    : fabric::Fabric(std::move(structure)), marks(&found), odd_switches(switches.size()), odd_hosts(hosts.size()) {
  std::unordered_map<std::size_t, std::uint32_t> places;
  for (std::uint32_t i = 0; i < switches.size(); ++i) {
    places.emplace(switches[i].node, i);
    odd_switches[i] = found.alone(switches[i].node);
    for (const Peer& peer : switches[i].peers)
      for (const std::uint32_t link : peer.links)
        if (found.link(link)) {
          wrong_links.insert(link);
          odd_switches[i] = true;
        }
  }
  for (std::uint32_t i = 0; i < hosts.size(); ++i) {
    odd_hosts[i] = found.node(hosts[i].node);
    for (const Uplink& up : hosts[i].uplinks) {
      if (up.link != npos && found.link(up.link)) wrong_links.insert(up.link);
      odd_hosts[i] = odd_hosts[i] || wrong(up) || found.node(up.nic);
    }
  }
  for (const Marks::Absent& it : found.absent()) {
    const auto a = places.find(it.a);
    const auto b = places.find(it.b);
    if (a == places.end() || b == places.end()) continue;
    odd_switches[a->second] = odd_switches[b->second] = true;
    gaps.push_back({a->second, b->second, it.finding});
  }
}

std::string end_words(const Fabric& fabric, const std::string& key, unsigned port) {
  const View& view = *fabric.view;
  const std::size_t at = view.place(key);
  std::string name = key;
  if (at != View::none) {
    name = view.node(at).name.empty() ? key : view.node(at).name;
    if (view.node(at).kind != Kind::fabric_switch)
      if (const std::size_t machine = view.machine(view.parent(at)); machine != View::none)
        name = view.node(machine).name + " " + name;
  }
  return printable(port == 0 ? name : fmt::format("{} port {}", name, port));
}

}  // namespace railgauge::topo::layout

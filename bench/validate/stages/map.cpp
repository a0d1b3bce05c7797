// Switches, the cables of hosts, and those between switches, in the order of the fleet.
#include "bench/validate/stages/map.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "bench/validate/method/diagnosis.hpp"

namespace railgauge::validate {
namespace {

std::string number(unsigned port) { return port == 0 ? std::string() : std::to_string(port); }

class FaultyLinks {
 public:
  FaultyLinks(const Fleet& fleet, const validation::Validation& found, std::span<const Component> components)
      : fleet_(fleet), components_(components) {
    for (const validation::Diagnosis& diagnosis : found.diagnoses)
      if (diagnosis.faulty) ends_.emplace(diagnosis.from, diagnosis.to);
  }

  [[nodiscard]] bool link_of(Index host, Index rail) const {
    const Attachment& it = fleet_.hosts[host].rails[rail];
    const std::string from = end_of_host(fleet_, host, rail);
    return ends_.contains({from, ""}) || ends_.contains({from, end_of_switch(fleet_, it.leaf, it.leaf_port)});
  }
  [[nodiscard]] bool cable(Index at) const {
    const Cable& it = fleet_.cables[at];
    if (ends_.contains({end_of_switch(fleet_, it.a, it.a_port), end_of_switch(fleet_, it.b, it.b_port)})) return true;
    return std::any_of(components_.begin(), components_.end(), [&](const Component& component) {
      return component.kind == ComponentKind::uplinks       ? it.a == component.at
             : component.kind == ComponentKind::spine_links ? fleet_.switches[it.a].set == component.at
                                                            : at_cable(component) && component.at == at;
    });
  }

 private:
  const Fleet& fleet_;
  std::span<const Component> components_;
  std::set<std::pair<std::string, std::string>> ends_;
};

}  // namespace

validation::Map map_of(const Fleet& fleet, const validation::Validation& found, std::span<const Component> faulty) {
  validation::Map map;
  const FaultyLinks faulty_links(fleet, found, faulty);
  for (const Switch& it : fleet.switches) map.switches.push_back({it.name, static_cast<unsigned>(it.tier)});
  if (map.switches.empty()) return map;
  for (Index host = 0; host < fleet.hosts.size(); ++host)
    for (Index rail = 0; rail < fleet.hosts[host].rails.size(); ++rail) {
      const Attachment& at = fleet.hosts[host].rails[rail];
      if (at.leaf == npos) continue;
      validation::MapLink link;
      link.host = fleet.hosts[host].name;
      link.rail = rail;
      link.a = at.leaf;
      link.a_port = at.port;
      link.b_port = number(at.leaf_port);
      const validation::RailFigures& figures = found.hosts[host].rails[rail];
      if (figures.send_off || figures.receive_off)
        link.share = 1 + std::min(figures.send_off.value_or(0), figures.receive_off.value_or(0));
      link.faulty = faulty_links.link_of(host, rail);
      map.links.push_back(std::move(link));
    }
  for (Index at = 0; at < fleet.cables.size(); ++at) {
    const Cable& cable = fleet.cables[at];
    validation::MapLink link;
    link.a = cable.a;
    link.b = cable.b;
    link.a_port = number(cable.a_port);
    link.b_port = number(cable.b_port);
    link.faulty = faulty_links.cable(at);
    map.links.push_back(std::move(link));
  }
  return map;
}

}  // namespace railgauge::validate

// Tiers and cables are those of topo::fabric.
#include "bench/validate/method/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bench/validate/method/port_name.hpp"
#include "bench/validate/method/routes.hpp"
#include "topo/fabric/fabric.hpp"
#include "topo/ratios.hpp"
#include "topo/roles.hpp"
#include "topo/view.hpp"

namespace railgauge::validate {
namespace {

namespace fabric = topo::fabric;
using topo::View;

constexpr std::size_t most_names = 2;

// Texts to places; a text that several places have leads to none.
class Names {
 public:
  void add(std::string text, std::size_t place) {
    if (text.empty()) return;
    if (const auto [at, fresh] = places_.try_emplace(std::move(text), place); !fresh && at->second != place)
      at->second = View::none;
  }
  [[nodiscard]] std::size_t find(const std::string& text) const {
    const auto found = places_.find(text);
    return found == places_.end() ? View::none : found->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

// "node7" of "Node7.cluster.example".
std::string short_name(std::string_view name) {
  std::string text(name.substr(0, name.find('.')));
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

Tier tier_of(unsigned distance) { return distance <= 1 ? Tier::leaf : distance == 2 ? Tier::spine : Tier::core; }

class Builder {
 public:
  Builder(Fleet& fleet, const topo::Graph& graph, std::span<const HostDevices> devices)
      : fleet_(fleet),
        view_(graph),
        fabric_(fabric::read_fabric(view_)),
        devices_(devices),
        host_at_(graph.nodes.size(), fabric::npos) {
    for (std::uint32_t i = 0; i < fabric_.hosts.size(); ++i) host_at_[fabric_.hosts[i].node] = i;
  }

  FabricFound build() {
    fleet_.switches.clear();
    fleet_.cables.clear();
    fleet_.route = nullptr;
    match();
    choose_switches();
    name_switches();
    add_cables();
    for (Index host = 0; host < fleet_.hosts.size(); ++host) attach(host);
    find_pods();
    join_sets(fleet_);
    fleet_.route = routes_of(fleet_, view_.graph());
    found_.shape = fabric_.shape_words;
    found_.tiers = fabric_.tiers;
    return std::move(found_);
  }

 private:
  // ---- who is who
  void match() {
    Names exact, shortened, guids;
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i) {
      const topo::Node& node = view_.node(i);
      if (node.kind == topo::Kind::machine) {
        const std::string host_name(topo::text_of(node.attributes, "host_name"));
        for (const std::string& name : {node.key, node.name, host_name}) {
          exact.add(name, i);
          shortened.add(short_name(name), i);
        }
        if (found_.machines.size() < most_names && host_at_[i] != fabric::npos)
          found_.machines.push_back(node.name.empty() ? node.key : node.name);
      } else if (const std::size_t machine = view_.machine(i); machine != View::none) {
        guids.add(topo::guid_key(topo::text_of(node.attributes, "node_guid")), machine);
        guids.add(topo::guid_key(topo::text_of(node.attributes, "port_guid")), machine);
      }
    }
    machines_.assign(fleet_.hosts.size(), View::none);
    for (Index host = 0; host < machines_.size(); ++host) {
      std::size_t& its = machines_[host];
      its = exact.find(fleet_.hosts[host].name);
      if (its == View::none) its = shortened.find(short_name(fleet_.hosts[host].name));
      if (its != View::none || host >= devices_.size()) continue;
      for (const HostDevice& device : devices_[host])
        if (its == View::none) its = guids.find(device.guid);
    }
    one_each();
    for (Index host = 0; host < machines_.size(); ++host)
      if (machines_[host] == View::none) found_.strangers.push_back(host);
  }

  // Two hosts that would be the same machine are neither.
  void one_each() {
    std::unordered_map<std::size_t, std::size_t> times;
    for (const std::size_t machine : machines_) ++times[machine];
    for (std::size_t& machine : machines_)
      if (times[machine] > 1) machine = View::none;
  }

  // ---- switches
  void choose_switches() {
    place_of_.assign(fabric_.switches.size(), npos);
    std::vector<std::uint32_t> open;
    const auto want = [&](std::uint32_t at) {
      if (place_of_[at] != npos) return;
      place_of_[at] = 0;
      open.push_back(at);
    };
    for (const std::size_t machine : machines_)
      if (const fabric::Host* host = host_of(machine); host != nullptr)
        for (const fabric::Uplink& up : host->uplinks) want(up.to);
    std::size_t next = 0;
    while (next < open.size()) {  // it grows meanwhile
      const fabric::Switch& it = fabric_.switches[open[next++]];
      for (const fabric::Peer& peer : it.peers)
        if (fabric_.switches[peer.other].tier > it.tier) want(peer.other);
    }
    // Tier by tier, by name: equal topologies give equal fleets, wherever a discovery began.
    std::vector<std::string> names(fabric_.switches.size());
    for (const std::uint32_t at : open) names[at] = fabric_.name(fabric_.switches[at]);
    std::sort(open.begin(), open.end(), [&](std::uint32_t a, std::uint32_t b) {
      const fabric::Switch &one = fabric_.switches[a], &other = fabric_.switches[b];
      if (one.tier != other.tier) return one.tier < other.tier;
      if (names[a] != names[b]) return fabric::natural_less(names[a], names[b]);
      return fabric_.node(one).key < fabric_.node(other).key;
    });
    for (const std::uint32_t at : open) {
      place_of_[at] = static_cast<Index>(fleet_.switches.size());
      Switch it;
      it.key = fabric_.node(fabric_.switches[at]).key;
      it.tier = tier_of(fabric_.switches[at].tier);
      fleet_.switches.push_back(std::move(it));
    }
    chosen_ = std::move(open);
  }

  // Switches that nobody gave a name share that of their model.
  void name_switches() {
    std::unordered_map<std::string, unsigned> times;
    for (const std::uint32_t at : chosen_) ++times[fabric_.name(fabric_.switches[at])];
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      Switch& it = fleet_.switches[i];
      it.name = fabric_.name(fabric_.switches[chosen_[i]]);
      if (times[it.name] > 1) it.name = fmt::format("{} ({})", it.name, it.key);
    }
  }

  // Cables within one tier, of a torus or between the groups of a dragonfly, lead no data up or down.
  void add_cables() {
    for (const std::uint32_t at : chosen_) {
      const fabric::Switch& from = fabric_.switches[at];
      for (const fabric::Peer& peer : from.peers) {
        const Index to = place_of_[peer.other];
        if (to == npos || fabric_.switches[peer.other].tier <= from.tier) continue;
        const Index a = place_of_[at];
        // Of a tree of nodes nothing is known but that one is above the other.
        if (peer.links.empty())
          fleet_.cables.push_back({fmt::format("{} - {}", fleet_.switches[a].key, fleet_.switches[to].key), a, to, 0, 0});
        for (const std::uint32_t place : peer.links) {
          const topo::Link& link = view_.link(place);
          const bool turned = link.a != fleet_.switches[a].key;
          fleet_.cables.push_back(
              {topo::link_key(link), a, to, turned ? link.b_port : link.a_port, turned ? link.a_port : link.b_port});
        }
      }
    }
  }

  // ---- hosts
  [[nodiscard]] const fabric::Host* host_of(std::size_t machine) const {
    if (machine == View::none || host_at_[machine] == fabric::npos) return nullptr;
    return &fabric_.hosts[host_at_[machine]];
  }

  // The end of the host's cable: its port, its NIC, or the machine where nothing more is known.
  [[nodiscard]] std::size_t end_of(const fabric::Uplink& up) const {
    if (up.link == fabric::npos) return up.nic;
    const std::size_t a = view_.a(up.link), b = view_.b(up.link);
    return view_.node(a).kind == topo::Kind::fabric_switch ? b : a;
  }
  [[nodiscard]] unsigned switch_port_of(const fabric::Uplink& up) const {
    if (up.link == fabric::npos) return 0;
    const topo::Link& link = view_.link(up.link);
    return view_.node(view_.a(up.link)).kind == topo::Kind::fabric_switch ? link.a_port : link.b_port;
  }
  // Of a machine empty.
  [[nodiscard]] std::string label_of(const fabric::Uplink& up) const {
    const std::size_t end = end_of(up);
    return view_.node(end).kind == topo::Kind::machine ? std::string() : view_.label(end);
  }

  [[nodiscard]] bool is_called(const fabric::Uplink& up, const std::string& port, Index host) const {
    const std::string device = port.substr(0, port.find('/'));
    const topo::Node& nic = view_.node(up.nic);
    const std::string label = label_of(up), of_nic = view_.label(up.nic);
    if (label == port || (port == device && of_nic == device)) return true;
    for (const char* list : {"verbs", "interfaces"})
      for (const std::string& name : topo::list_of(nic.attributes, list))
        if (name == port || (name == device && label.ends_with(port.substr(device.size())))) return true;
    if (host >= devices_.size()) return false;
    const std::string guid = topo::guid_key(topo::text_of(nic.attributes, "node_guid"));
    return !guid.empty() && std::any_of(devices_[host].begin(), devices_[host].end(), [&](const HostDevice& it) {
      return it.guid == guid && it.name == device && (port == device || label.ends_with(port.substr(device.size())));
    });
  }

  [[nodiscard]] const fabric::Uplink* told_for(const std::vector<const fabric::Uplink*>& all, const std::string& port,
                                               Index host) const {
    if (port.empty()) return nullptr;
    const std::string name = port_name(port);
    const auto found = std::find_if(all.begin(), all.end(), [&](const fabric::Uplink* up) { return is_called(*up, name, host); });
    return found == all.end() ? nullptr : *found;
  }

  // Those that are there for traffic between ranks, where there are more of all.
  [[nodiscard]] std::vector<const fabric::Uplink*> uplinks_of(const fabric::Host& host) {
    std::vector<const fabric::Uplink*> all, compute;
    for (const fabric::Uplink& up : host.uplinks) all.push_back(&up);
    if (all.size() <= fleet_.rails) return all;
    if (roles_.empty()) roles_ = topo::nic_roles(view_, "");
    std::copy_if(all.begin(), all.end(), std::back_inserter(compute),
                 [&](const fabric::Uplink* up) { return roles_[up->nic] == topo::NicRole::compute; });
    return compute.size() == fleet_.rails ? compute : all;
  }

  void attach(Index at) {
    Host& host = fleet_.hosts[at];
    host.rails.resize(fleet_.rails);
    host.pod = npos;
    for (Attachment& it : host.rails) it = Attachment{it.port, npos, 0, 0, {}};
    const fabric::Host* its = host_of(machines_[at]);
    if (its == nullptr) {
      if (machines_[at] != View::none) found_.loose.push_back(at);
      return;
    }
    const std::vector<const fabric::Uplink*> ups = uplinks_of(*its);
    const bool one_leaf =
        std::all_of(ups.begin(), ups.end(), [&](const fabric::Uplink* up) { return up->to == ups.front()->to; });
    bool loose = false;
    for (Index rail = 0; rail < fleet_.rails; ++rail) {
      Attachment& it = host.rails[rail];
      const fabric::Uplink* up = told_for(ups, it.port, at);
      if (up != nullptr)
        it.port = label_of(*up);
      else if (ups.size() == fleet_.rails)
        up = ups[rail];
      if (up != nullptr) {
        it.leaf = place_of_[up->to];
        it.leaf_port = switch_port_of(*up);
        if (up->link != fabric::npos) it.cable = topo::link_key(view_.link(up->link));
        it.address = static_cast<std::uint32_t>(topo::number_of(view_.node(end_of(*up)).attributes, "lid"));
        if (it.port.empty()) it.port = label_of(*up);
      } else if (!ups.empty() && one_leaf) {
        it.leaf = place_of_[ups.front()->to];
      }
      loose = loose || it.leaf == npos;
    }
    if (loose) found_.loose.push_back(at);
  }

  // ---- pods: what leaves and spines join without the cores. Rails may be planes of their own: the first that is known names the
  // pod of its host, and of all hosts on a plane those with the first rail name it for the others.
  void find_pods() {
    std::vector<Index> same(fleet_.switches.size());
    std::iota(same.begin(), same.end(), Index{0});
    const auto first = [&](Index it) {
      while (same[it] != it) it = same[it] = same[same[it]];
      return it;
    };
    for (const Cable& cable : fleet_.cables)
      if (fleet_.switches[cable.b].tier != Tier::core) {
        const Index a = first(cable.a), b = first(cable.b);
        same[std::max(a, b)] = std::min(a, b);
      }
    std::unordered_map<Index, Index> pods;  // of what joins them
    const auto name = [&](bool with_first_rail) {
      for (Host& host : fleet_.hosts) {
        const bool has_first = !host.rails.empty() && host.rails.front().leaf != npos;
        if (has_first != with_first_rail) continue;
        for (const Attachment& it : host.rails) {
          if (it.leaf == npos) continue;
          if (host.pod == npos) host.pod = pods.try_emplace(first(it.leaf), count_).first->second;
          if (host.pod == count_) ++count_;
          pods.try_emplace(first(it.leaf), host.pod);
        }
      }
    };
    name(true);
    name(false);
  }

  Fleet& fleet_;
  View view_;
  fabric::Fabric fabric_;
  std::span<const HostDevices> devices_;
  std::vector<std::uint32_t> host_at_;  // of nodes: places in fabric_.hosts
  std::vector<std::size_t> machines_;   // of the fleet's hosts: nodes
  std::vector<Index> place_of_;         // of the fabric's switches: in the fleet
  std::vector<std::uint32_t> chosen_;   // of the fleet's switches: in the fabric
  std::vector<topo::NicRole> roles_;
  Index count_ = 0;  // of pods
  FabricFound found_;
};

}  // namespace

FabricFound add_fabric(Fleet& fleet, const topo::Graph& graph, std::span<const HostDevices> devices) {
  return Builder(fleet, graph, devices).build();
}

}  // namespace railgauge::validate

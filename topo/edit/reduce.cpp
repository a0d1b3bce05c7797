// Which rails and which links stay: spread over each host's NICs, and the same spines for all leaves, so that leaves stay joined.
//
//     leaf 1:1      spine1 spine2 spine3 spine4      2:1     spine1 spine2
//     to each          1      1      1      1                   1      1
#include "topo/edit/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "topo/edit/remove.hpp"
#include "topo/fabric/fabric.hpp"
#include "topo/roles.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::edit {
namespace {

using fabric::Fabric;
using fabric::Uplink;

// What a host has on one rail: the NIC, the node where its cable ends, and the cable.
struct Rail {
  std::size_t nic = View::none;
  std::size_t end = View::none;       // a port, or the NIC or machine itself
  std::uint32_t link = fabric::npos;  // npos where no cable is told
};

// Of each host its rails in order.
std::vector<std::vector<Rail>> rails_of_hosts(const View& view, const Fabric& fabric) {
  const std::vector<NicRole> roles = nic_roles(view, "");
  const auto carries = [&](std::size_t nic) { return view.node(nic).kind != Kind::nic || roles[nic] == NicRole::compute; };
  std::vector<std::vector<Rail>> hosts;
  for (const fabric::Host& host : fabric.hosts) {
    std::vector<Rail>& rails = hosts.emplace_back();
    for (const Uplink& up : host.uplinks)
      if (carries(up.nic)) rails.push_back({up.nic, fabric::end_of(fabric, up), up.link});
  }
  if (!hosts.empty()) return hosts;
  for (std::size_t i = 0, last = View::none; i < view.graph().nodes.size(); ++i) {
    if (view.node(i).kind != Kind::nic || roles[i] != NicRole::compute) continue;
    if (hosts.empty() || view.machine(i) != last) hosts.emplace_back();
    last = view.machine(i);
    hosts.back().push_back({i, i, fabric::npos});
  }
  return hosts;
}

// A NIC goes when none of its ports stays.
void take_out(const View& view, const std::vector<Rail>& rails, unsigned keep, Gone& gone) {
  std::vector<std::size_t> staying;
  std::vector<const Rail*> leaving;
  for (std::size_t i = 0, kept = 0; i < rails.size(); ++i) {
    if (kept < keep && i * keep >= kept * rails.size()) {
      ++kept;
      staying.push_back(rails[i].nic);
    } else {
      leaving.push_back(&rails[i]);
    }
  }
  for (const Rail* rail : leaving) {
    const bool shared = std::find(staying.begin(), staying.end(), rail->nic) != staying.end();
    const std::size_t node = shared ? rail->end : rail->nic;
    const Kind kind = view.node(node).kind;
    if (kind == Kind::port || (kind == Kind::nic && !shared)) gone.nodes[node] = true;
    if (rail->link != fabric::npos) gone.links[rail->link] = true;
  }
}

struct Up {
  std::size_t round, peer;  // the how-manieth link to the same switch; its place among the switches above
  std::uint32_t link;
  double bandwidth;
};

std::vector<Up> links_up(const View& view, const Fabric& fabric, const fabric::Switch& leaf) {
  std::vector<Up> all;
  for (const fabric::Peer& peer : leaf.peers)
    if (fabric.switches[peer.other].tier > leaf.tier)
      for (std::size_t i = 0; i < peer.links.size(); ++i)
        all.push_back({i, peer.other, peer.links[i], payload(view.link(peer.links[i]).bandwidth)});
  std::sort(all.begin(), all.end(),
            [](const Up& a, const Up& b) { return std::tie(a.round, a.peer) < std::tie(b.round, b.peer); });
  return all;
}

}  // namespace

Graph keep_rails(Graph graph, unsigned rails) {
  Gone gone(graph);
  {
    const View view(graph);
    const Fabric fabric = fabric::read_fabric(view);
    const std::vector<std::vector<Rail>> hosts = rails_of_hosts(view, fabric);
    std::size_t most = 0;
    for (const auto& host : hosts) most = std::max(most, host.size());
    if (most == 0)
      throw Error(Fault::usage, fmt::format("rails={}: no host of this graph has a NIC for traffic between ranks", rails));
    if (most <= rails)
      throw Error(Fault::usage,
                  fmt::format("rails={}: hosts of this graph have {} for traffic between ranks, and only fewer can be kept",
                              rails, counted(most, Kind::nic)));
    for (const auto& host : hosts)
      if (host.size() > rails) take_out(view, host, rails, gone);
    mark_bare_switches(fabric, gone);
  }
  return without(std::move(graph), std::move(gone));
}

Graph oversubscribe(Graph graph, double ratio) {
  Gone gone(graph);
  {
    const View view(graph);
    const Fabric fabric = fabric::read_fabric(view);
    if (!fabric.cables || !fabric.tiered() || fabric.tiers < 2)
      throw Error(Fault::usage, fmt::format("oversubscribe={:g}: this graph has no leaves with cables to spines", ratio));
    std::vector<double> down(fabric.switches.size());
    for (const fabric::Host& host : fabric.hosts)
      for (const Uplink& up : host.uplinks)
        if (up.link != fabric::npos) {
          const double bandwidth = payload(view.link(up.link).bandwidth);
          if (bandwidth <= 0)
            throw Error(Fault::usage, fmt::format("oversubscribe={:g}: the bandwidth of the link between {} and {} is unknown",
                                                  ratio, view.spoken(view.a(up.link)), view.spoken(view.b(up.link))));
          down[up.to] += bandwidth;
        }
    bool any = false;
    for (const std::uint32_t leaf : fabric.by_tier[1]) {
      double sum = 0;
      std::size_t kept = 0;
      for (const Up& up : links_up(view, fabric, fabric.switches[leaf])) {
        if (up.bandwidth <= 0)
          throw Error(Fault::usage, fmt::format("oversubscribe={:g}: the bandwidth of the link between {} and {} is unknown",
                                                ratio, view.spoken(view.a(up.link)), view.spoken(view.b(up.link))));
        const bool stays = kept == 0 || sum + up.bandwidth <= down[leaf] / ratio * (1 + 1e-9);
        if (stays) {
          sum += up.bandwidth;
          ++kept;
        } else {
          gone.links[up.link] = any = true;
        }
      }
    }
    if (!any)
      throw Error(Fault::usage, fmt::format("oversubscribe={:g}: each leaf has no more links up than that already", ratio));
    mark_bare_switches(fabric, gone);
  }
  return without(std::move(graph), std::move(gone));
}

}  // namespace railgauge::topo::edit

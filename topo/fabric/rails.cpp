// Rails: the NICs of one number of all hosts, and the leaves that join them; units: leaves that have the same hosts.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "topo/fabric/fabric.hpp"
#include "topo/nearness.hpp"

namespace railgauge::topo::fabric {
namespace {

constexpr std::size_t most_rails = 64;

class Rails {
 public:
  explicit Rails(Fabric& fabric) : fabric_(fabric), view_(*fabric.view) {}

  void find() {
    by_gpu();
    const std::size_t usual = usual_uplinks();
    if (usual < 2 || usual > most_rails || fabric_.hosts.size() < 2 || !vote(usual)) return;
    fabric_.rails = static_cast<std::uint32_t>(usual);
    name_rails();
    for (Host& host : fabric_.hosts) number(host);
    spread();
    units();
  }

 private:
  // Orders the NICs of each host by the GPUs that they are nearest to, where each has one of its own. Elsewhere they keep the
  // order of their names.
  void by_gpu() {
    std::map<std::size_t, std::vector<std::size_t>> gpus;  // of each machine
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::gpu) gpus[view_.machine(i)].push_back(i);
    if (gpus.empty()) return;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> number;  // of host and uplink: the GPU's
    for (std::size_t h = 0; h < fabric_.hosts.size(); ++h) {
      const Host& host = fabric_.hosts[h];
      const auto machine = gpus.find(host.node);
      if (machine == gpus.end() || machine->second.size() < host.uplinks.size()) return;
      std::set<std::size_t> taken;
      for (std::size_t u = 0; u < host.uplinks.size(); ++u) {
        const std::size_t nic = host.uplinks[u].nic;
        const auto best = std::min_element(machine->second.begin(), machine->second.end(), [&](std::size_t a, std::size_t b) {
          return nearness(view_, nic, a) < nearness(view_, nic, b);
        });
        if (nearness(view_, nic, *best).rank > 1 || !taken.insert(*best).second) return;
        number[{h, u}] = view_.gpu_number(*best);
      }
    }
    for (std::size_t h = 0; h < fabric_.hosts.size(); ++h) {
      std::vector<std::pair<std::size_t, Uplink>> sorted;
      for (std::size_t u = 0; u < fabric_.hosts[h].uplinks.size(); ++u)
        sorted.emplace_back(number[{h, u}], fabric_.hosts[h].uplinks[u]);
      std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t u = 0; u < sorted.size(); ++u) fabric_.hosts[h].uplinks[u] = sorted[u].second;
    }
  }

  // The number of links that most NICs' hosts have.
  [[nodiscard]] std::size_t usual_uplinks() const {
    std::map<std::size_t, std::size_t> nics;
    for (const Host& host : fabric_.hosts)
      if (host.uplinks.size() > 1) nics[host.uplinks.size()] += host.uplinks.size();
    const auto most =
        std::max_element(nics.begin(), nics.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == nics.end() ? 0 : most->first;
  }

  // Each leaf's rail is the one that most of its NICs are the k-th of. Whether nine tenths of all NICs agree.
  bool vote(std::size_t usual) {
    std::vector<std::vector<std::uint32_t>> votes(fabric_.switches.size());
    std::size_t all = 0;
    for (const Host& host : fabric_.hosts) {
      if (host.uplinks.size() != usual) continue;
      for (std::size_t k = 0; k < usual; ++k) {
        auto& vote = votes[host.uplinks[k].to];
        vote.resize(usual);
        ++vote[k];
        ++all;
      }
    }
    std::size_t agreed = 0;
    std::vector<bool> seen(usual);
    std::vector<std::uint32_t> rail(fabric_.switches.size(), npos);
    for (std::size_t i = 0; i < votes.size(); ++i) {
      if (votes[i].empty()) continue;
      const auto best = std::max_element(votes[i].begin(), votes[i].end());
      rail[i] = static_cast<std::uint32_t>(best - votes[i].begin());
      agreed += *best;
      seen[rail[i]] = true;
    }
    if (agreed * 10 < all * 9 || std::count(seen.begin(), seen.end(), true) != static_cast<std::ptrdiff_t>(usual)) return false;
    for (std::size_t i = 0; i < rail.size(); ++i) fabric_.switches[i].rail = rail[i];
    return true;
  }

  [[nodiscard]] std::string label(const Uplink& up) const { return view_.label(end_of(fabric_, up)); }

  // What three quarters of the hosts call their k-th NIC, when no two rails have one name.
  void name_rails() {
    std::vector<std::map<std::string, std::size_t>> often(fabric_.rails);
    std::size_t whole = 0;
    for (const Host& host : fabric_.hosts) {
      if (host.uplinks.size() != fabric_.rails) continue;
      ++whole;
      for (std::size_t k = 0; k < host.uplinks.size(); ++k) ++often[k][label(host.uplinks[k])];
    }
    std::vector<std::string> names;
    std::set<std::string> different;
    for (const auto& labels : often) {
      const auto most =
          std::max_element(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most == labels.end() || most->second * 4 < whole * 3 || !different.insert(most->first).second) return;
      names.push_back(most->first);
    }
    fabric_.rail_names = std::move(names);
  }

  // A host with a NIC for each rail has them in order; of others, names tell, or else the leaves when they are of different
  // rails.
  void number(Host& host) const {
    if (host.uplinks.size() == fabric_.rails) {
      for (std::uint32_t k = 0; k < fabric_.rails; ++k) host.uplinks[k].rail = k;
      return;
    }
    // A management host with two NICs may call them as others call those of rails 0 and 1.
    if (host.uplinks.size() * 2 <= fabric_.rails || host.uplinks.size() > fabric_.rails) return;
    std::set<std::uint32_t> rails;
    for (Uplink& up : host.uplinks) {
      const auto named = std::find(fabric_.rail_names.begin(), fabric_.rail_names.end(), label(up));
      if (named != fabric_.rail_names.end()) up.rail = static_cast<std::uint32_t>(named - fabric_.rail_names.begin());
      rails.insert(fabric_.switches[up.to].rail);
    }
    if (!fabric_.rail_names.empty() || rails.size() != host.uplinks.size() || rails.contains(npos)) return;
    for (Uplink& up : host.uplinks) up.rail = fabric_.switches[up.to].rail;
  }

  // A spine or core belongs to a rail when all below it do.
  void spread() {
    for (unsigned tier = 2; tier <= fabric_.tiers; ++tier)
      for (const std::uint32_t at : fabric_.by_tier[tier]) {
        Switch& it = fabric_.switches[at];
        std::uint32_t rail = npos;
        bool one = true;
        for (const Peer& peer : it.peers) {
          const Switch& below = fabric_.switches[peer.other];
          if (below.tier >= tier) continue;
          if (rail != npos && below.rail != rail) one = false;
          rail = below.rail;
          if (rail == npos) one = false;
        }
        if (one) it.rail = rail;
      }
  }

  // Leaves of different rails that have the same hosts: named by the leaf of the lowest rail that most of their hosts are on.
  void units() {
    for (Switch& it : fabric_.switches) {
      if (it.tier != 1 || it.hosts.empty()) continue;
      std::unordered_map<std::uint32_t, std::uint32_t> votes;
      std::uint32_t best = 0;
      for (const std::uint32_t host : it.hosts) {
        const Host& one = fabric_.hosts[host];
        if (one.uplinks.size() * 2 <= fabric_.rails || one.uplinks.size() > fabric_.rails) continue;
        const Uplink& lowest = *std::min_element(one.uplinks.begin(), one.uplinks.end(),
                                                 [](const Uplink& a, const Uplink& b) { return a.rail < b.rail; });
        if (lowest.rail == npos) continue;
        const std::uint32_t first = lowest.to;
        if (const std::uint32_t times = ++votes[first]; times > best) {
          best = times;
          it.unit = first;
        }
      }
    }
  }

  Fabric& fabric_;
  const View& view_;
};

}  // namespace

void find_rails(Fabric& fabric) { Rails(fabric).find(); }

}  // namespace railgauge::topo::fabric

// What differs from its like: links below what they can, ends that disagree, hosts on a wrong rail, links that are missing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "topo/judge.hpp"
#include "topo/layout/fabric.hpp"
#include "topo/layout/facts.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr double slow = 0.75;  // of the median of all that were measured

double measured(const Fabric& fabric, const Link& link) {
  if (fabric.measured == nullptr || fabric.measured->empty()) return -1;
  const auto found = fabric.measured->find(link_key(link));
  return found == fabric.measured->end() ? -1 : found->second;
}

double median_of(const Ratios& ratios) {
  std::vector<double> values;
  for (const auto& [link, ratio] : ratios) values.push_back(ratio);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string share_words(double ratio) { return fmt::format("{:.0f} % of its bandwidth", 100 * ratio); }

// What is wrong with a link by its own numbers; `what` stays empty when nothing is.
Trouble own_trouble(const Fabric& fabric, const Link& link) {
  Trouble trouble;
  if (without_traffic(link)) {
    trouble.what = "down";
    trouble.expected = "active";
    trouble.found = std::string(row(link.state).name);
  } else if (degraded(link)) {
    trouble.what = "degraded";
    trouble.expected = rate_words(link.kind, capable_rate(link));
    trouble.found = rate_words(link.kind, link.active);
  } else if (ends_disagree(link)) {
    trouble.what = "ends disagree";
    trouble.expected = rate_words(link.kind, link.active);
    trouble.found = rate_words(link.kind, link.active_at_b);
  } else if (const double ratio = measured(fabric, link); ratio >= 0 && ratio < slow * fabric.usual_ratio) {
    trouble.what = "slow";
    trouble.expected = share_words(fabric.usual_ratio);
    trouble.found = share_words(ratio);
  }
  if (trouble.what.empty()) return trouble;
  trouble.a = end_words(fabric, link.a, link.a_port);
  trouble.b = end_words(fabric, link.b, link.b_port);
  return trouble;
}

// The usual rates of several sorts of links.
class Usual {
 public:
  void add(std::uint64_t sort, const Link& link) { sorts_[sort].add(link); }
  // Nothing when there is no usual rate, or when the link is as fast.
  [[nodiscard]] Trouble compare(const Fabric& fabric, std::uint64_t sort, const Link& link) const {
    const auto found = sorts_.find(sort);
    if (found == sorts_.end() || !found->second.is_slower(link)) return {};
    return {"slower than its like",
            end_words(fabric, link.a, link.a_port),
            end_words(fabric, link.b, link.b_port),
            rate_words(link.kind, found->second.rate()),
            rate_words(link.kind, link.active),
            npos,
            npos};
  }

 private:
  std::map<std::uint64_t, UsualRate> sorts_;
};

template <class Visit>
void each_link_of_switches(Fabric& fabric, const Visit& visit) {
  for (std::uint32_t i = 0; i < fabric.switches.size(); ++i)
    for (const Peer& peer : fabric.switches[i].peers) {
      if (peer.other < i) continue;
      const unsigned low = std::min(fabric.switches[i].tier, fabric.switches[peer.other].tier);
      const unsigned high = std::max(fabric.switches[i].tier, fabric.switches[peer.other].tier);
      for (const std::uint32_t at : peer.links) visit(i, peer.other, at, std::uint64_t{low} << 32U | high);
    }
}

void links_of_switches(Fabric& fabric) {
  const std::vector<Link>& links = fabric.index->graph.links;
  Usual usual;
  each_link_of_switches(fabric,
                        [&](std::uint32_t, std::uint32_t, std::uint32_t at, std::uint64_t sort) { usual.add(sort, links[at]); });
  each_link_of_switches(fabric, [&](std::uint32_t a, std::uint32_t b, std::uint32_t at, std::uint64_t sort) {
    Trouble trouble = own_trouble(fabric, links[at]);
    if (trouble.what.empty()) trouble = usual.compare(fabric, sort, links[at]);
    if (trouble.what.empty()) return;
    fabric.switches[a].odd = fabric.switches[b].odd = true;
    fabric.wrong_links.insert(at);
    fabric.troubles.push_back(std::move(trouble));
  });
}

// Hosts of several kinds have NICs of several speeds: a link is compared with those of its rail, where its host has one in each.
void links_of_hosts(Fabric& fabric) {
  const std::vector<Link>& links = fabric.index->graph.links;
  Usual usual;
  const auto compared = [&](const Host& host) { return fabric.rails != 0 && host.uplinks.size() == fabric.rails; };
  for (const Host& host : fabric.hosts)
    for (std::size_t k = 0; k < host.uplinks.size(); ++k)
      if (host.uplinks[k].link != npos && compared(host)) usual.add(k, links[host.uplinks[k].link]);
  for (Host& host : fabric.hosts)
    for (std::size_t k = 0; k < host.uplinks.size(); ++k) {
      Uplink& up = host.uplinks[k];
      if (up.link == npos) continue;
      Trouble trouble = own_trouble(fabric, links[up.link]);
      if (trouble.what.empty() && compared(host)) trouble = usual.compare(fabric, k, links[up.link]);
      if (trouble.what.empty()) continue;
      host.odd = up.wrong = true;
      fabric.wrong_links.insert(up.link);
      fabric.troubles.push_back(std::move(trouble));
    }
}

std::string port_of(const Fabric& fabric, const Uplink& up) {
  if (up.link == npos) return fabric.name(fabric.switches[up.to]);
  const Link& link = fabric.index->graph.links[up.link];
  const bool a = fabric.index->find(link.a) == fabric.switches[up.to].node;
  return end_words(fabric, a ? link.a : link.b, a ? link.a_port : link.b_port);
}

std::string nic_words(const Fabric& fabric, const Host& host, const Uplink& up) {
  const Node& nic = fabric.index->node(up.nic);
  return up.nic == host.node ? fabric.name(host) : fabric.name(host) + " " + printable(nic.name.empty() ? nic.key : nic.name);
}

// GPU k's NIC is on rail k, and in the unit of the host's other NICs.
void wrong_rails(Fabric& fabric) {
  for (Host& host : fabric.hosts) {
    if (host.uplinks.size() != fabric.rails) continue;
    std::map<std::uint32_t, std::uint32_t> votes;
    for (const Uplink& up : host.uplinks) ++votes[fabric.switches[up.to].unit];
    const auto home =
        std::max_element(votes.begin(), votes.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
    for (std::uint32_t k = 0; k < fabric.rails; ++k) {
      Uplink& up = host.uplinks[k];
      const Switch& leaf = fabric.switches[up.to];
      const bool rail = leaf.rail != npos && leaf.rail != k;
      const bool unit = leaf.unit != home->first && home->second * 2 > fabric.rails;
      if (!rail && !unit) continue;
      host.odd = up.wrong = true;
      Trouble trouble{"mis-cabled",
                      nic_words(fabric, host, up),
                      port_of(fabric, up),
                      fmt::format("rail {}", k),
                      fmt::format("rail {}", leaf.rail),
                      npos,
                      npos};
      if (!rail) {
        trouble.expected = "a leaf of its own unit";
        trouble.found = "a leaf of another unit";
      }
      fabric.troubles.push_back(std::move(trouble));
    }
  }
}

// Hosts with fewer links than nearly all.
void missing_rails(Fabric& fabric) {
  std::size_t whole = 0;
  for (const Host& host : fabric.hosts) whole += host.uplinks.size() == fabric.rails ? 1U : 0U;
  if (whole * 10 < fabric.hosts.size() * 9) return;
  for (Host& host : fabric.hosts) {
    if (host.uplinks.size() >= fabric.rails || host.uplinks.size() * 2 <= fabric.rails) continue;
    std::vector<bool> there(fabric.rails);
    for (const Uplink& up : host.uplinks)
      if (fabric.switches[up.to].rail < fabric.rails) there[fabric.switches[up.to].rail] = true;
    std::string lost;
    for (std::uint32_t k = 0; k < fabric.rails; ++k)
      if (!there[k]) lost += fmt::format("{}rail {}", lost.empty() ? "" : ", ", k);
    host.odd = true;
    fabric.troubles.push_back({"missing", fabric.name(host), lost, fmt::format("{} links", fabric.rails),
                               fmt::format("{} links", host.uplinks.size()), npos, npos});
  }
}

// Of two switches of neighbouring tiers: as many links as their likes have. A switch is like the largest number of others in its
// tier and rail that have the same peers; the others are compared with those that share a peer with them.
class Missing {
 public:
  explicit Missing(Fabric& fabric) : fabric_(fabric) {}

  void find(unsigned tier, bool up) {
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes;
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i)
      if (fabric_.switches[i].tier == tier) classes[hash(fabric_.switches[i], up)].push_back(i);
    // The largest class that each switch of the other side knows.
    std::unordered_map<std::uint32_t, std::pair<std::size_t, std::uint32_t>> best;
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i) {
      const Switch& it = fabric_.switches[i];
      if (it.tier != tier) continue;
      const std::size_t size = classes[hash(it, up)].size();
      for (const Peer& peer : it.peers)
        if (counts(it, peer, up)) {
          auto& known = best[peer.other];
          if (size > known.first) known = {size, i};
        }
    }
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i) {
      const Switch& it = fabric_.switches[i];
      if (it.tier != tier) continue;
      const std::size_t size = classes[hash(it, up)].size();
      const std::pair<std::size_t, std::uint32_t>* like = nullptr;
      for (const Peer& peer : it.peers)
        if (counts(it, peer, up))
          if (const auto& known = best[peer.other]; like == nullptr || known.first > like->first) like = &known;
      // A few that are alike are a design of their own.
      if (like == nullptr || like->first < 3 || size * 3 >= like->first || size > 2) continue;
      compare(i, like->second, up);
    }
  }

 private:
  bool counts(const Switch& it, const Peer& peer, bool up) const {
    const unsigned other = fabric_.switches[peer.other].tier;
    return up ? other > it.tier : other < it.tier;
  }

  std::uint64_t hash(const Switch& it, bool up) const {
    std::uint64_t value = 1469598103934665603ULL;
    const auto mix = [&](std::uint64_t more) { value = (value ^ more) * 1099511628211ULL; };
    for (const Peer& peer : it.peers)
      if (counts(it, peer, up)) {
        mix(peer.other);
        mix(peer.count());
      }
    return value;
  }

  void compare(std::uint32_t odd, std::uint32_t like, bool up) {
    const Switch& model = fabric_.switches[like];
    std::vector<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>> fewer;
    std::size_t all = 0;
    for (const Peer& peer : model.peers) {
      if (!counts(model, peer, up)) continue;
      ++all;
      const auto& own = fabric_.switches[odd].peers;
      const auto at =
          std::lower_bound(own.begin(), own.end(), peer.other, [](const Peer& x, std::uint32_t y) { return x.other < y; });
      const std::uint32_t has = at != own.end() && at->other == peer.other ? at->count() : 0;
      if (has < peer.count()) fewer.push_back({peer.other, {peer.count(), has}});
    }
    if (fewer.size() * 2 > all) return;  // nothing like it
    for (const auto& [other, count] : fewer) {
      if (!reported_.emplace(std::min(odd, other), std::max(odd, other)).second) continue;
      fabric_.switches[odd].odd = fabric_.switches[other].odd = true;
      fabric_.troubles.push_back({"missing", fabric_.name(fabric_.switches[odd]), fabric_.name(fabric_.switches[other]),
                                  counted(count.first, "link", "links"),
                                  count.second == 0 ? "none" : counted(count.second, "link", "links"), odd, other});
    }
  }

  Fabric& fabric_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_;
};

}  // namespace

void find_troubles(Fabric& fabric) {
  if (fabric.measured != nullptr) fabric.usual_ratio = median_of(*fabric.measured);
  links_of_switches(fabric);
  if (fabric.rails != 0) wrong_rails(fabric);
  links_of_hosts(fabric);
  if (fabric.rails != 0) missing_rails(fabric);
  Missing missing(fabric);
  for (unsigned tier = 1; tier < fabric.tiers; ++tier) missing.find(tier, true);
}

}  // namespace railgauge::topo::layout

// Links between the tiers of a fabric: those that similar switches have and one has not, and those that lead elsewhere.
//
// Switches that share most of their peers above are of one group; in a regular fabric each of a group has equally many links to
// each of those peers:
//
//            spine1 spine2 spine3
//     leaf1     1      1      1
//     leaf2     1      1      1
//     leaf3     2      0      1     the second cable to spine1 belongs in spine2
//     leaf4     1      1      0     a link is missing
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "topo/check/rules.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

using fabric::npos;
using fabric::Peer;

using Counts = std::map<std::uint32_t, std::uint32_t>;  // links to each peer above

// Switches of one tier that share most of their peers above.
struct Cohort {
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> peers;  // of the first of them
};

struct Difference {
  std::uint32_t peer, expected, has;
  bool clear;  // more than half of the cohort have the expected number; else it is that of most pairs of the tier
};

template <class Value>
std::pair<Value, std::size_t> most_often(const std::map<Value, std::size_t>& often) {
  const auto best =
      std::max_element(often.begin(), often.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == often.end() ? std::pair<Value, std::size_t>{} : std::pair<Value, std::size_t>(*best);
}

class Uplinks {
 public:
  Uplinks(const Context& context, Findings& findings)
      : view_(context.view), fabric_(context.fabric), findings_(findings), up_(fabric_.switches.size()) {}

  void look_at(unsigned tier) {
    std::map<std::uint32_t, std::size_t> of_pairs, of_switches;
    std::vector<std::uint32_t> lower;
    for (const std::uint32_t i : fabric_.by_tier[tier]) {
      std::uint32_t all = 0;
      for (const Peer& peer : fabric_.switches[i].peers)
        if (fabric_.switches[peer.other].tier > tier) {
          up_[i][peer.other] = peer.count();
          ++of_pairs[peer.count()];
          all += peer.count();
        }
      if (all == 0) continue;
      lower.push_back(i);
      ++of_switches[all];
    }
    std::size_t pairs = 0;
    for (const auto& [links, count] : of_pairs) pairs += count;
    const auto [usual, times] = most_often(of_pairs);
    usual_pair_ = times * 4 >= pairs * 3 ? usual : 0;
    usual_total_ = most_often(of_switches).first;
    for (const Cohort& cohort : cohorts(lower)) compare(cohort);
  }

 private:
  // Those whose peers are the most common ones come first, so that no odd one gives a cohort its peers.
  [[nodiscard]] std::vector<Cohort> cohorts(std::vector<std::uint32_t> lower) const {
    std::map<Counts, std::size_t> often;
    for (const std::uint32_t i : lower) ++often[up_[i]];
    std::stable_sort(lower.begin(), lower.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return often.at(up_[a]) > often.at(up_[b]); });
    std::vector<Cohort> all;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_peer;  // cohorts that have it
    for (const std::uint32_t i : lower) {
      std::map<std::uint32_t, std::size_t> shared;
      for (const auto& [peer, links] : up_[i])
        if (const auto found = of_peer.find(peer); found != of_peer.end())
          for (const std::uint32_t cohort : found->second) ++shared[cohort];
      const auto [best, count] = most_often(shared);
      if (count == 0 || count * 2 < std::max(up_[i].size(), all[best].peers.size())) {
        Cohort& fresh = all.emplace_back();
        for (const auto& [peer, links] : up_[i]) {
          fresh.peers.push_back(peer);
          of_peer[peer].push_back(static_cast<std::uint32_t>(all.size() - 1));
        }
        fresh.members.push_back(i);
      } else {
        all[best].members.push_back(i);
      }
    }
    for (Cohort& cohort : all) std::sort(cohort.members.begin(), cohort.members.end());
    return all;
  }

  [[nodiscard]] std::uint32_t links_to(std::uint32_t lower, std::uint32_t peer) const {
    const auto found = up_[lower].find(peer);
    return found == up_[lower].end() ? 0 : found->second;
  }
  [[nodiscard]] std::uint32_t total(std::uint32_t lower) const {
    std::uint32_t all = 0;
    for (const auto& [peer, links] : up_[lower]) all += links;
    return all;
  }

  void compare(const Cohort& cohort) {
    if (cohort.members.size() < 2) return;
    std::map<std::uint32_t, std::vector<Difference>> missing, extra;  // of each member
    std::set<std::uint32_t> peers;
    for (const std::uint32_t member : cohort.members)
      for (const auto& [peer, links] : up_[member]) peers.insert(peer);
    std::size_t width = 0;
    for (const std::uint32_t peer : peers) {
      std::map<std::uint32_t, std::size_t> often;
      for (const std::uint32_t member : cohort.members) ++often[links_to(member, peer)];
      auto [expected, times] = most_often(often);
      const bool clear = times * 2 > cohort.members.size() && cohort.members.size() > 2;
      if (!clear) expected = usual_pair_;
      if (!clear && usual_pair_ == 0) continue;
      if (expected != 0) ++width;
      for (const std::uint32_t member : cohort.members) {
        const std::uint32_t has = links_to(member, peer);
        if (has < expected) missing[member].push_back({peer, expected, has, clear});
        if (has > expected) extra[member].push_back({peer, expected, has, clear});
      }
    }
    for (const std::uint32_t member : cohort.members) {
      const auto lost = missing.find(member);
      if (lost == missing.end()) continue;
      // Where no number is clear, a switch with as many links as usual lacks none, unless it has one too many elsewhere.
      if (total(member) >= usual_total_ && extra[member].empty())
        std::erase_if(lost->second, [](const Difference& it) { return !it.clear; });
      if (lost->second.size() * 2 > width) continue;  // a design of its own
      tell(cohort, member, lost->second, extra[member]);
    }
  }

  // A link to one peer too many explains one too few to another.
  void tell(const Cohort& cohort, std::uint32_t member, const std::vector<Difference>& lost,
            const std::vector<Difference>& extra) {
    std::set<std::uint32_t> named;                                 // links
    std::vector<std::pair<std::uint32_t, std::uint32_t>> surplus;  // peer, links that it had too many of
    for (const Difference& it : extra) surplus.emplace_back(it.peer, it.has - it.expected);
    for (const Difference& it : lost) {
      std::uint32_t lack = it.expected - it.has;
      for (auto& [peer, links] : surplus)
        for (; links > 0 && lack > 0; --links, --lack) elsewhere(cohort, member, peer, it, named);
      if (lack > 0) missing(cohort, member, it);
    }
  }

  // The port of a switch's link to a peer above; 0 where it is unknown.
  [[nodiscard]] unsigned port_of(std::uint32_t link, std::uint32_t at) const {
    const Link& it = view_.link(link);
    return view_.above(view_.a(link), Kind::fabric_switch) == fabric_.switches[at].node ? it.a_port : it.b_port;
  }
  template <class Each>
  void each_link(std::uint32_t from, std::uint32_t to, const Each& each) const {
    for (const Peer& peer : fabric_.switches[from].peers)
      if (peer.other == to)
        for (const std::uint32_t link : peer.links) each(link);
  }

  // Of those ports by which most of the cohort reach the peer, one that `member` does not use for it; 0 where there is none.
  [[nodiscard]] unsigned usual_port(const Cohort& cohort, std::uint32_t member, std::uint32_t peer) const {
    std::map<unsigned, std::size_t> often;
    for (const std::uint32_t it : cohort.members) each_link(it, peer, [&](std::uint32_t link) { ++often[port_of(link, it)]; });
    each_link(member, peer, [&](std::uint32_t link) { often.erase(port_of(link, member)); });
    const auto [port, times] = most_often(often);
    return times * 2 > cohort.members.size() ? port : 0;
  }

  // Of the member's links to the peer that are not named yet: the one by a port that the others do not use for it.
  [[nodiscard]] std::uint32_t odd_link(const Cohort& cohort, std::uint32_t member, std::uint32_t peer,
                                       const std::set<std::uint32_t>& named) const {
    std::map<unsigned, std::size_t> often;
    for (const std::uint32_t it : cohort.members)
      if (it != member) each_link(it, peer, [&](std::uint32_t link) { ++often[port_of(link, it)]; });
    std::uint32_t odd = npos;
    std::size_t fewest = 0;
    each_link(member, peer, [&](std::uint32_t link) {
      const auto found = often.find(port_of(link, member));
      const std::size_t times = found == often.end() ? 0 : found->second;
      if (named.contains(link) || (odd != npos && times >= fewest)) return;
      odd = link;
      fewest = times;
    });
    return odd;
  }

  // "as most of 7 similar switches have"
  [[nodiscard]] static std::string evidence(const Cohort& cohort, const Difference& lost) {
    return lost.clear ? fmt::format("as most of {} similar switches have", cohort.members.size() - 1)
                      : "as most pairs of switches between these tiers have";
  }

  void elsewhere(const Cohort& cohort, std::uint32_t member, std::uint32_t peer, const Difference& lost,
                 std::set<std::uint32_t>& named) {
    const std::uint32_t link = odd_link(cohort, member, peer, named);
    named.insert(link);
    Finding finding;
    finding.rule = "uplink-cabling";
    finding.severity = Severity::warning;
    finding.a = view_.node_port(fabric_.switches[member].node, link == npos ? 0 : port_of(link, member));
    finding.b = view_.node_port(fabric_.switches[peer].node, link == npos ? 0 : port_of(link, peer));
    const std::string other = "switch " + fabric_.name(fabric_.switches[lost.peer]);
    finding.found =
        fmt::format("a cable that leads here, and {} to {}", lost.has == 0 ? "none" : std::to_string(lost.has), other);
    finding.expected = fmt::format("a cable to {}, {}", other, evidence(cohort, lost));
    finding.why = "paths are unequally many, and the routing loads some links twice";
    finding.action = "Exchange this cable with the one that belongs here, or move its plug";
    findings_.add(std::move(finding));
  }

  void missing(const Cohort& cohort, std::uint32_t member, const Difference& lost) {
    Finding finding;
    finding.rule = "uplink-missing";
    finding.severity = Severity::warning;
    finding.absent = true;
    finding.a = view_.node_port(fabric_.switches[member].node, usual_port(cohort, member, lost.peer));
    finding.b = view_.node_port(fabric_.switches[lost.peer].node);
    finding.found = lost.has == 0 ? "there is no link" : counted(lost.has, "link", "links");
    finding.expected = fmt::format("{}, {}", lost.expected, evidence(cohort, lost));
    finding.why = "the bandwidth of the tier is lower here, and the routing loads the links that are left more";
    finding.action = "Look at both ends for power, lights and plugs";
    findings_.add(std::move(finding));
  }

  const View& view_;
  const fabric::Fabric& fabric_;
  Findings& findings_;
  std::vector<Counts> up_;  // of each switch of the tiers so far
  std::uint32_t usual_pair_ = 0, usual_total_ = 0;
};

}  // namespace

void check_uplinks(const Context& context, Findings& findings) {
  const fabric::Fabric& fabric = context.fabric;
  if (context.options.design != nullptr) return;  // which says it better
  if (!fabric.cables || !fabric.tiered()) return;
  Uplinks uplinks(context, findings);
  for (unsigned tier = 1; tier < fabric.tiers; ++tier) uplinks.look_at(tier);
}

}  // namespace railgauge::topo

// From a graph to a fabric: who is a host, which tier a switch is in, and which rail.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "topo/fabric/fabric.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::fabric {
namespace {

bool of_fabric(LinkKind kind) { return kind == LinkKind::infiniband || kind == LinkKind::ethernet || kind == LinkKind::tree; }

// In-network reduction is an end of the fabric, but no host.
bool is_aggregation(const Node& node) { return node.name.find("Aggregation Node") != std::string::npos; }

class Reader {
 public:
  explicit Reader(const View& view) : view_(view), owner_(view.graph().nodes.size(), View::none) {
    fabric_.view = &view;
    for (std::size_t i = 0; i < view.graph().nodes.size(); ++i) {
      const Kind kind = view.node(i).kind;
      const std::size_t parent = view.parent(i);
      if (kind == Kind::rack || kind == Kind::rail) continue;
      const bool starts =
          kind == Kind::fabric_switch || kind == Kind::machine || parent == View::none || owner_[parent] == View::none;
      owner_[i] = starts ? i : owner_[parent];
    }
  }

  Fabric read() {
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i)
      if (view_.node(i).kind == Kind::fabric_switch) switch_of(i);
    if (fabric_.switches.empty()) return std::move(fabric_);
    bool any = false;
    for (std::uint32_t i = 0; i < view_.graph().links.size(); ++i)
      if (of_fabric(view_.graph().links[i].kind)) any = link(i) || any;
    if (!any) by_parents();
    fabric_.cables = any && std::none_of(view_.graph().links.begin(), view_.graph().links.end(),
                                         [](const Link& it) { return it.kind == LinkKind::tree; });
    gather();
    tiers();
    find_rails(fabric_);
    words();
    recognise_direct(fabric_);
    return std::move(fabric_);
  }

 private:
  struct Pair {
    std::uint32_t a, b, link;
  };

  std::uint32_t switch_of(std::size_t node) {
    const auto [at, fresh] = switches_.try_emplace(node, static_cast<std::uint32_t>(fabric_.switches.size()));
    if (fresh) {
      fabric_.switches.emplace_back();
      fabric_.switches.back().node = node;
    }
    return at->second;
  }

  std::uint32_t host_of(std::size_t node) {
    const auto [at, fresh] = hosts_.try_emplace(node, static_cast<std::uint32_t>(fabric_.hosts.size()));
    if (fresh) {
      fabric_.hosts.emplace_back();
      fabric_.hosts.back().node = node;
    }
    return at->second;
  }

  std::size_t nic_of(std::size_t end) const {
    for (std::size_t it = end; it != View::none; it = view_.parent(it))
      if (view_.node(it).kind == Kind::nic) return it;
    return end;
  }

  bool link(std::uint32_t at) {
    const Link& link = view_.graph().links[at];
    const std::size_t a = view_.place(link.a);
    const std::size_t b = view_.place(link.b);
    if (a == View::none || b == View::none || owner_[a] == View::none || owner_[b] == View::none) return false;
    const bool switch_a = view_.node(owner_[a]).kind == Kind::fabric_switch;
    const bool switch_b = view_.node(owner_[b]).kind == Kind::fabric_switch;
    if (switch_a && switch_b) {
      if (owner_[a] != owner_[b]) pairs_.push_back({switch_of(owner_[a]), switch_of(owner_[b]), at});
    } else if (switch_a || switch_b) {
      const std::size_t end = switch_a ? b : a;
      if (is_aggregation(view_.node(end)) || is_aggregation(view_.node(owner_[end]))) return true;
      Uplink up;
      up.nic = nic_of(end);
      up.to = switch_of(owner_[switch_a ? a : b]);
      up.link = at;
      fabric_.hosts[host_of(owner_[end])].uplinks.push_back(up);
    }
    return switch_a || switch_b;
  }

  // No link is told, only who is below whom.
  void by_parents() {
    for (std::size_t i = 0; i < view_.graph().nodes.size(); ++i) {
      const std::size_t parent = view_.parent(i);
      if (parent == View::none || view_.node(parent).kind != Kind::fabric_switch) continue;
      if (view_.node(i).kind == Kind::fabric_switch) {
        pairs_.push_back({switch_of(i), switch_of(parent), npos});
      } else if (owner_[i] == i || view_.node(i).kind == Kind::machine) {
        Uplink up;
        up.nic = i;
        up.to = switch_of(parent);
        fabric_.hosts[host_of(i)].uplinks.push_back(up);
      }
    }
  }

  void gather() {
    for (const Pair& pair : std::vector<Pair>(pairs_)) pairs_.push_back({pair.b, pair.a, pair.link});
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Pair& x, const Pair& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
    for (const Pair& pair : pairs_) {
      std::vector<Peer>& peers = fabric_.switches[pair.a].peers;
      if (peers.empty() || peers.back().other != pair.b) peers.push_back({pair.b, {}});
      if (pair.link != npos) peers.back().links.push_back(pair.link);
    }
    for (std::uint32_t i = 0; i < fabric_.hosts.size(); ++i) {
      std::vector<Uplink>& uplinks = fabric_.hosts[i].uplinks;
      std::stable_sort(uplinks.begin(), uplinks.end(), [&](const Uplink& x, const Uplink& y) {
        const Node& p = view_.node(x.nic);
        const Node& q = view_.node(y.nic);
        if (p.name != q.name) return natural_less(p.name, q.name);
        return p.key < q.key;
      });
      for (const Uplink& up : uplinks) fabric_.switches[up.to].hosts.push_back(i);
    }
  }

  // By distance from switches that have hosts. One that has few of them, where others have many, is no leaf: a management node
  // may hang on a spine.
  void tiers() {
    std::vector<Switch>& all = fabric_.switches;
    std::vector<std::size_t> counts;
    for (const Switch& it : all)
      if (!it.hosts.empty()) counts.push_back(it.hosts.size());
    std::size_t usual = 0;
    if (!counts.empty()) {
      std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2), counts.end());
      usual = counts[counts.size() / 2];
    }
    std::vector<std::uint32_t> front;
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (counts.empty() || (!all[i].hosts.empty() && all[i].hosts.size() * 8 >= usual)) {
        all[i].tier = 1;
        front.push_back(i);
      }
    for (std::size_t next = 0; next < front.size(); ++next)
      for (const Peer& peer : all[front[next]].peers)
        if (all[peer.other].tier == 0) {
          all[peer.other].tier = all[front[next]].tier + 1;
          front.push_back(peer.other);
        }
    for (Switch& it : all) {
      if (it.tier == 0 || (it.tier > 2 && !it.hosts.empty())) it.tier = 1;
      fabric_.tiers = std::max(fabric_.tiers, it.tier);
    }
    fabric_.by_tier.resize(fabric_.tiers + 1);
    for (std::uint32_t i = 0; i < all.size(); ++i) fabric_.by_tier[all[i].tier].push_back(i);
  }

  void words() {
    constexpr std::string_view numbers[] = {"no", "one", "two", "three", "four", "five", "six"};
    const std::string tiers = fabric_.tiers < 7 ? std::string(numbers[fabric_.tiers]) : fmt::format("{}", fabric_.tiers);
    bool layered = fabric_.tiers > 1;
    for (const Switch& it : fabric_.switches)
      for (const Peer& peer : it.peers) layered = layered && fabric_.switches[peer.other].tier != it.tier;
    fabric_.shape = fabric_.rails != 0 ? Shape::rails : layered ? Shape::fat_tree : Shape::tiers;
    if (fabric_.rails != 0)
      fabric_.shape_words =
          fmt::format("rail-optimised, {} rails, {} tier{}", fabric_.rails, tiers, fabric_.tiers == 1 ? "" : "s");
    else if (layered)
      fabric_.shape_words = fmt::format("{}-tier tree", tiers);
    else
      fabric_.shape_words = fabric_.tiers == 1 ? "one tier" : fmt::format("{} tiers by distance from hosts", tiers);
  }

  const View& view_;
  std::vector<std::size_t> owner_;
  std::unordered_map<std::size_t, std::uint32_t> switches_, hosts_;
  std::vector<Pair> pairs_;
  Fabric fabric_;
};

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto run = [&](std::string_view text, std::size_t& at) {
        while (at + 1 < text.size() && text[at] == '0' && digit(text[at + 1])) ++at;
        const std::size_t begin = at;
        while (at < text.size() && digit(text[at])) ++at;
        return text.substr(begin, at - begin);
      };
      const std::string_view x = run(a, i);
      const std::string_view y = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::string Fabric::name(const Switch& it) const {
  const Node& of = node(it);
  return printable(of.name.empty() ? of.key : of.name);
}
std::string Fabric::name(const Host& it) const {
  const Node& of = node(it);
  return printable(of.name.empty() ? of.key : of.name);
}

std::size_t end_of(const Fabric& fabric, const Uplink& up) {
  if (up.link == npos) return up.nic;
  const View& view = *fabric.view;
  const std::size_t a = view.a(up.link);
  return view.above(a, Kind::fabric_switch) == fabric.switches[up.to].node ? view.b(up.link) : a;
}

Fabric read_fabric(const View& view) { return Reader(view).read(); }

}  // namespace railgauge::topo::fabric

// The picture of a tiered fabric: cores above spines above leaves above their hosts, alike ones as one box, odd ones apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "topo/judge.hpp"
#include "topo/layout/fabric_groups.hpp"
#include "topo/layout/fabric_odd_hosts.hpp"
#include "topo/layout/facts.hpp"
#include "topo/layout/measure.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr double box_width = 158, box_height = 62, strip_height = 26, below_box = 14, between_rows = 104;
constexpr double between_boxes = 16, between_blocks = 26, padding = 14, heading = 34;
constexpr std::size_t most_labels = 80;  // edges; more of them have no labels
constexpr std::size_t most_facts = 20;   // of a box
constexpr std::size_t most_members = 40000;

std::string tier_words(unsigned tier, unsigned tiers, std::uint64_t count) {
  if (tiers == 1) return counted(count, "switch", "switches");
  if (tier == 1) return counted(count, "leaf", "leaves");
  if (tier == 2) return counted(count, "spine", "spines");
  if (tier == 3) return counted(count, "core", "cores");
  return fmt::format("{} of tier {}", count, tier);
}

class Tiers {
 public:
  Tiers(Picture& picture, const Fabric& fabric)
      : picture_(picture), fabric_(fabric), blocks_(group(fabric)), base_(picture.height) {}

  void draw() {
    const double block_tiers = fabric_.tiers > 1 ? fabric_.tiers - 1 : 1;
    const double top = blocks_.top.groups.empty() ? base_ : base_ + box_height + between_rows;
    framed_ = blocks_.blocks.size() > 1 || (blocks_.blocks.size() == 1 && blocks_.blocks.front().count > 1);
    const double inside = framed_ ? heading : 0;
    const auto row_y = [&](unsigned tier) {
      return top + inside + (block_tiers - static_cast<double>(tier)) * (box_height + between_rows);
    };
    double x = 0;
    for (std::size_t b = 0; b < blocks_.blocks.size(); ++b) {
      const double width = block(b, x, row_y);
      const double bottom = row_y(1) + box_height + below_box + strip_height + padding;
      if (framed_) frame(blocks_.blocks[b], b, x, top, width, bottom - top);
      x += width + between_blocks;
    }
    double width = std::max(0.0, x - between_blocks);
    const std::vector<Group>& cores = blocks_.top.groups;
    const double needed = row_width(cores);
    double across = std::max(0.0, (width - needed) / 2);
    for (std::size_t g = 0; g < cores.size(); ++g) {
      group_box(npos, g, across, base_ + (fabric_.tiers > 1 ? 0 : inside));
      across += box_width + between_boxes;
    }
    picture_.height = row_y(1) + box_height + below_box + strip_height + (framed_ ? padding : 0);
    width = std::max(width, needed);
    switch_edges();
    missing();
    const auto strip_of = [&](std::uint32_t leaf) {
      const auto strip = strips_.find(blocks_.of[leaf]);
      return strip == strips_.end() ? std::nullopt : std::optional(strip->second);
    };
    add_odd_hosts(picture_, fabric_, strip_of, pending_, width);
    picture_.width = std::max(picture_.width, width);
    spread_edges(picture_, pending_);
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // block and group

  static double row_width(const std::vector<Group>& groups) {
    const auto n = static_cast<double>(groups.size());
    return groups.empty() ? 0 : n * box_width + (n - 1) * between_boxes;
  }

  template <class RowY>
  double block(std::size_t b, double x, const RowY& row_y) {
    const Block& it = blocks_.blocks[b];
    std::map<unsigned, std::vector<std::size_t>> rows;
    for (std::size_t g = 0; g < it.groups.size(); ++g) rows[it.groups[g].tier].push_back(g);
    double width = framed_ ? 130 : 0;
    for (const auto& [tier, groups] : rows) {
      const auto n = static_cast<double>(groups.size());
      width = std::max(width, n * box_width + (n - 1) * between_boxes);
    }
    const double around = framed_ ? padding : 0;
    for (const auto& [tier, groups] : rows) {
      const auto n = static_cast<double>(groups.size());
      double across = x + around + (width - n * box_width - (n - 1) * between_boxes) / 2;
      for (const std::size_t g : groups) {
        group_box(static_cast<std::uint32_t>(b), g, across, row_y(tier));
        across += box_width + between_boxes;
      }
    }
    return width + 2 * around;
  }

  std::string block_name(const Block& it, std::size_t b) const {
    std::string text = it.rail != npos ? fmt::format("rail {}", it.rail) : std::string();
    if (text.empty()) return it.count > 1 ? fmt::format("{} blocks alike", it.count) : fmt::format("block {}", b);
    if (it.count > 1) return text + fmt::format(": {} blocks", it.count);
    return fabric_.tiers > 2 ? text + ": one block" : text;
  }

  void frame(const Block& it, std::size_t b, double x, double y, double width, double height) {
    Box box;
    box.id = fmt::format("block {}", b);
    box.role = Role::frame;
    box.kind = Kind::rail;
    box.at = {x, y};
    box.width = width;
    box.height = height;
    box.lines = {fitted(block_name(it, b), width - 24, title_size, true)};
    std::size_t switches = 0;
    for (const Group& one : it.groups) switches += one.switches.size();
    box.facts = {{"switches", fmt::format("{}", switches)}, {"blocks alike", fmt::format("{}", it.count)}};
    picture_.boxes.push_back(std::move(box));
  }

  const Group& group_at(Key key) const {
    return key.first == npos ? blocks_.top.groups[key.second] : blocks_.blocks[key.first].groups[key.second];
  }

  std::string range(const Group& it) const {
    const std::string first = fabric_.name(fabric_.switches[it.switches.front()]);
    const std::string last = fabric_.name(fabric_.switches[it.switches.back()]);
    return first + " \u2026 " + last;
  }

  void group_box(std::uint32_t block, std::size_t g, double x, double y) {
    const Key key{block, static_cast<std::uint32_t>(g)};
    const Group& it = group_at(key);
    const Switch& first = fabric_.switches[it.switches.front()];
    Box box;
    box.id = it.switches.size() == 1
                 ? fabric_.node(first).key
                 : fmt::format("group {} {}", block == npos ? std::string("top") : fmt::format("{}", block), g);
    box.kind = Kind::fabric_switch;
    box.at = {x, y};
    box.width = box_width;
    box.height = box_height;
    box.count = it.switches.size();
    box.warning = it.odd;
    const std::string many = tier_words(it.tier, fabric_.tiers, it.switches.size());
    std::vector<std::string> lines{it.switches.size() == 1 ? fabric_.name(first) : many};
    if (it.switches.size() > 1) lines.push_back(range(it));
    const std::string up = span(it, [&](const Switch& one) { return links_up(one); });
    const std::string down = span(it, [&](const Switch& one) { return one.hosts.empty() ? links_down(one) : one.hosts.size(); });
    lines.push_back(fmt::format("{} {}", down, first.hosts.empty() ? "down" : "hosts"));
    if (up != "0") lines.back() += fmt::format(", {} up", up);
    if (it.switches.size() == 1 && it.odd)
      lines.insert(lines.begin() + 1, fmt::format("1 {}", tier_words(it.tier, fabric_.tiers, 1).substr(2)));
    for (std::size_t i = 0; i < lines.size(); ++i)
      box.lines.push_back(fitted_name(lines[i], box_width - 14, i == 0 ? title_size : line_size, i == 0));
    if (it.switches.size() == 1) box.facts = facts_of(fabric_.node(first));
    box.facts.push_back({"tier", fmt::format("{}", it.tier)});
    if (it.switches.size() > 1) {
      box.facts.push_back({"stands for", many});
      box.facts.push_back({"first and last", range(it)});
    }
    if (first.rail != npos) box.facts.push_back({"rail", fmt::format("{}", first.rail)});
    box.facts.push_back({"links up", fmt::format("{}{}", up, it.switches.size() > 1 ? " each" : "")});
    if (!first.hosts.empty()) box.facts.push_back({"links to hosts", fmt::format("{}", it.hosts)});
    if (it.odd && it.switches.size() == 1)
      for (const Finding* finding : fabric_.marks->of(first.node))
        if (box.facts.size() < most_facts) box.facts.push_back(fact_of(*finding));
    Members members;
    for (const std::uint32_t at : it.switches) {
      members.names.push_back(fabric_.name(fabric_.switches[at]));
      if (fabric_.switches.size() <= most_members / 2 && fabric_.node(fabric_.switches[at]).key != members.names.back())
        members.names.push_back(fabric_.node(fabric_.switches[at]).key);
    }
    if (it.switches.size() > 1) box.members.push_back(std::move(members));
    places_[key] = picture_.boxes.size();
    picture_.boxes.push_back(std::move(box));
    if (it.hosts > 0) strip(key, it);
  }

  // "32", or "20-32" where switches differ.
  template <class Count>
  std::string span(const Group& it, const Count& count) const {
    std::size_t least = View::none;
    std::size_t most = 0;
    for (const std::uint32_t at : it.switches) {
      const std::size_t one = count(fabric_.switches[at]);
      least = std::min(least, one);
      most = std::max(most, one);
    }
    return least == most ? fmt::format("{}", most) : fmt::format("{}\u2013{}", least, most);
  }

  std::size_t links_up(const Switch& it) const {
    std::size_t count = 0;
    for (const Peer& peer : it.peers) count += fabric_.switches[peer.other].tier > it.tier ? peer.count() : 0;
    return count;
  }
  std::size_t links_down(const Switch& it) const {
    std::size_t count = 0;
    for (const Peer& peer : it.peers) count += fabric_.switches[peer.other].tier < it.tier ? peer.count() : 0;
    return count;
  }

  // The hosts of a group of leaves. Each host's name is found at the leaf of its first NIC.
  void strip(Key key, const Group& it) {
    std::vector<std::uint32_t> hosts;
    for (const std::uint32_t at : it.switches)
      hosts.insert(hosts.end(), fabric_.switches[at].hosts.begin(), fabric_.switches[at].hosts.end());
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    const Box above = picture_.boxes[places_[key]];
    Box box;
    box.id = above.id + " hosts";
    box.role = Role::bar;
    box.kind = Kind::machine;
    box.at = {above.at.x, above.at.y + box_height + below_box};
    box.width = box_width;
    box.height = strip_height;
    box.count = hosts.size();
    box.lines = {hosts.size() == 1 ? fitted_name(fabric_.name(fabric_.hosts[hosts.front()]), box_width - 10, line_size, false)
                                   : counted(hosts.size(), "host", "hosts")};
    box.facts = {{"hosts", fmt::format("{}", hosts.size())}, {"links to them", fmt::format("{}", it.hosts)}};
    if (it.switches.size() > 1) box.facts.push_back({"leaves", fmt::format("{}", it.switches.size())});
    for (const std::uint32_t at : it.switches) {
      Members members;
      members.place = fabric_.name(fabric_.switches[at]);
      for (const std::uint32_t host : fabric_.switches[at].hosts) {
        const Host& one = fabric_.hosts[host];
        if (one.uplinks.front().to != at) continue;
        if (members.names.empty() || members.names.back() != fabric_.name(one)) members.names.push_back(fabric_.name(one));
        if (fabric_.hosts.size() <= 1000)
          for (const Uplink& up : one.uplinks)
            if (up.nic != one.node)
              members.names.push_back(fabric_.name(one) + " " + fabric_.view->node(up.nic).name + " " +
                                      fabric_.view->node(up.nic).key);
      }
      if (!members.names.empty()) box.members.push_back(std::move(members));
    }
    Edge edge;
    edge.a = above.id;
    edge.b = box.id;
    edge.kind = link_kind(fabric_.hosts[hosts.front()]);
    edge.weight = 2;
    edge.bends = {{box.at.x + box_width / 2, box.at.y - below_box}, {box.at.x + box_width / 2, box.at.y}};
    for (const std::uint32_t host : hosts)
      for (const Uplink& up : fabric_.hosts[host].uplinks)
        if (up.link != npos && blocks_.of[up.to] == key) edge.links.push_back(up.link);
    if (!edge.links.empty()) edge.facts = common(edge.links);
    picture_.edges.push_back(std::move(edge));
    strips_[key] = picture_.boxes.size();
    picture_.boxes.push_back(std::move(box));
  }

  LinkKind link_kind(const Host& host) const {
    const std::uint32_t link = host.uplinks.front().link;
    return link == npos ? LinkKind::tree : fabric_.view->graph().links[link].kind;
  }

  // Of one link all that is known; of several, how many there are at which rate.
  std::vector<Fact> common(const std::vector<std::uint32_t>& links) const {
    const std::vector<Link>& all = fabric_.view->graph().links;
    if (links.size() == 1) return facts_of(all[links.front()]);
    std::map<std::string, std::size_t> rates;
    for (const std::uint32_t at : links) ++rates[rate_words(all[at].kind, all[at].active)];
    std::vector<Fact> facts{{"kind", std::string(row(all[links.front()].kind).word)}, {"links", fmt::format("{}", links.size())}};
    for (const auto& [rate, count] : rates)
      if (!rate.empty()) facts.push_back({"run at " + rate, fmt::format("{}", count)});
    return facts;
  }

  void switch_edges() {
    std::map<std::pair<Key, Key>, Bundle> bundles;
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i)
      for (const Peer& peer : fabric_.switches[i].peers) {
        if (peer.other < i) continue;
        Key a = blocks_.of[i];
        Key b = blocks_.of[peer.other];
        // The lower one first.
        if (fabric_.switches[i].tier > fabric_.switches[peer.other].tier ||
            (fabric_.switches[i].tier == fabric_.switches[peer.other].tier && b < a))
          std::swap(a, b);
        Bundle& bundle = bundles[{a, b}];
        bundle.links.insert(bundle.links.end(), peer.links.begin(), peer.links.end());
        bundle.count += peer.count();
        bundle.least = bundle.pairs == 0 ? peer.count() : std::min(bundle.least, peer.count());
        bundle.most = std::max(bundle.most, peer.count());
        ++bundle.pairs;
      }
    for (auto& [ends, bundle] : bundles)
      if (ends.first != ends.second)
        switch_edge(ends.first, ends.second, bundle, bundles.size() <= most_labels);
      else
        picture_.boxes[places_[ends.first]].facts.push_back({"links among themselves", fmt::format("{}", bundle.count)});
  }

  static std::string words_of_wrong(const Link& link) {
    if (without_traffic(link)) return std::string(row(link.state).name);
    std::string runs = rate_words(link.kind, link.active);
    const std::string other = ends_disagree(link) ? rate_words(link.kind, link.active_at_b) : rate_words(link.kind, link.capable);
    if (other.empty() || other == runs) return runs;
    return fmt::format("{} {} {}", runs, ends_disagree(link) ? "and" : "of", other);
  }

  void switch_edge(Key a, Key b, const Bundle& bundle, bool label) {
    Edge edge;
    const Box& lower = picture_.boxes[places_[a]];
    const Box& upper = picture_.boxes[places_[b]];
    edge.a = lower.id;
    edge.b = upper.id;
    edge.kind = bundle.links.empty() ? LinkKind::tree : fabric_.view->graph().links[bundle.links.front()].kind;
    edge.links = bundle.links;
    edge.weight = std::clamp(1 + 0.4 * std::log2(static_cast<double>(bundle.count)), 1.0, 4.5);
    if (!label) edge.weight = std::min(1.2, edge.weight);
    if (!bundle.links.empty()) edge.facts = common(bundle.links);
    std::size_t wrong = 0;
    std::string rate;
    for (const std::uint32_t at : bundle.links) {
      const Link& link = fabric_.view->graph().links[at];
      if (!fabric_.wrong_links.contains(at)) continue;
      ++wrong;
      rate = words_of_wrong(link);
    }
    edge.warning = wrong > 0;
    if (edge.warning)
      edge.label = {bundle.links.size() > 1 ? fmt::format("{} of {}: {}", wrong, bundle.links.size(), rate) : rate};
    else if (label && bundle.least == bundle.most && bundle.most > 1)
      edge.label = {fmt::format("\u00d7{}", bundle.most)};
    else if (label && bundle.least != bundle.most)
      edge.label = {fmt::format("\u00d7{}\u2013{}", bundle.least, bundle.most)};
    edge.facts.push_back({"between each pair", bundle.least == bundle.most
                                                   ? counted(bundle.most, "link", "links")
                                                   : fmt::format("{} to {} links", bundle.least, bundle.most)});
    edge.bends = {{}, {}, {}, {}};  // spread_edges() fills them
    edge.curved = true;
    pending_.push_back({picture_.edges.size(), places_[a], places_[b]});
    picture_.edges.push_back(std::move(edge));
  }

  void missing() {
    std::map<std::pair<Key, Key>, std::size_t> drawn;
    for (const Gap& gap : fabric_.gaps) {
      Key a = blocks_.of[gap.from];
      Key b = blocks_.of[gap.to];
      if (fabric_.switches[gap.from].tier > fabric_.switches[gap.to].tier) std::swap(a, b);
      if (a == b || drawn.size() >= most_labels || drawn[{a, b}]++ != 0) continue;
      Edge edge;
      edge.a = picture_.boxes[places_[a]].id;
      edge.b = picture_.boxes[places_[b]].id;
      edge.kind = LinkKind::infiniband;
      edge.warning = true;
      edge.label = {"missing"};
      edge.facts = {fact_of(*gap.finding)};
      edge.bends = {{}, {}, {}, {}};
      edge.curved = true;
      pending_.push_back({picture_.edges.size(), places_[a], places_[b]});
      picture_.edges.push_back(std::move(edge));
    }
  }

  Picture& picture_;
  const Fabric& fabric_;
  Blocks blocks_;
  double base_;
  bool framed_ = false;
  std::map<Key, std::size_t> places_, strips_;  // boxes of groups and of their hosts
  std::vector<Pending> pending_;
};

}  // namespace

void add_tiers(Picture& picture, const Fabric& fabric) { Tiers(picture, fabric).draw(); }

}  // namespace railgauge::topo::layout

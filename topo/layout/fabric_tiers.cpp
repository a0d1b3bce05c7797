// The picture of a tiered fabric: cores above spines above leaves above their hosts, alike ones as one box, odd ones apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "topo/layout/fabric_groups.hpp"
#include "topo/layout/fabric_odd_hosts.hpp"
#include "topo/layout/fabric_places.hpp"
#include "topo/layout/fabric_words.hpp"
#include "topo/layout/facts.hpp"
#include "topo/layout/measure.hpp"
#include "topo/layout/names.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr std::size_t most_labels = 80;  // edges; more of them have no labels
constexpr std::size_t most_facts = 20;   // of a box
constexpr std::size_t most_members = 40000;

class Tiers {
 public:
  Tiers(Picture& picture, const Fabric& fabric)
      : picture_(picture), fabric_(fabric), blocks_(group(fabric)), names_(names_of(fabric)) {}

  void draw() {
    places_ = place_groups(blocks_, fabric_.tiers, picture_.height, widest_name());
    for (std::size_t b = 0; b < blocks_.blocks.size(); ++b) {
      if (places_.framed) frame(blocks_.blocks[b], b);
      for (std::size_t g = 0; g < blocks_.blocks[b].groups.size(); ++g)
        group_box(static_cast<std::uint32_t>(b), g, places_.groups[b][g]);
    }
    if (places_.above.height > 0) frame_above();
    for (std::size_t g = 0; g < blocks_.top.groups.size(); ++g) group_box(npos, g, places_.top[g]);
    picture_.height = places_.bottom;
    switch_edges();
    missing();
    const auto strip_of = [&](std::uint32_t leaf) {
      const auto strip = strips_.find(blocks_.of[leaf]);
      return strip == strips_.end() ? std::nullopt : std::optional(strip->second);
    };
    double width = places_.width;
    add_odd_hosts(picture_, fabric_, strip_of, pending_, width);
    picture_.width = std::max(picture_.width, width);
    spread_edges(picture_, pending_);
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // block and group

  static std::vector<std::string> names_of(const Fabric& fabric) {
    std::vector<std::string> names;
    for (const Switch& it : fabric.switches) names.push_back(fabric.name(it));
    return names;
  }

  double widest_name() const {
    double widest = 0;
    for (const Switch& it : fabric_.switches) widest = std::max(widest, text_width(fabric_.name(it), title_size, true));
    return widest;
  }

  std::string block_name(const Block& it, std::size_t b) const {
    std::string text = it.rail != npos ? fmt::format("rail {}", it.rail) : std::string();
    if (text.empty()) return it.count > 1 ? fmt::format("{} blocks alike", it.count) : fmt::format("block {}", b);
    if (it.count > 1) return text + fmt::format(": {} blocks", it.count);
    return fabric_.tiers > 2 ? text + ": one block" : text;
  }

  void frame(const Block& it, std::size_t b) {
    const Places::Area& area = places_.blocks[b];
    Box box;
    box.id = fmt::format("block {}", b);
    box.role = Role::frame;
    box.kind = Kind::rail;
    box.at = area.at;
    box.width = area.width;
    box.height = area.height;
    box.lines = {fitted(block_name(it, b), area.width - 24, title_size, true)};
    std::size_t switches = 0;
    for (const Group& one : it.groups) switches += one.switches.size();
    box.facts = {{"switches", fmt::format("{}", switches)}, {"blocks alike", fmt::format("{}", it.count)}};
    boxes_[{static_cast<std::uint32_t>(b), npos}] = picture_.boxes.size();
    picture_.boxes.push_back(std::move(box));
  }

  void frame_above() {
    std::size_t switches = 0;
    for (const Group& one : blocks_.top.groups) switches += one.switches.size();
    Box box;
    box.id = "block above";
    box.role = Role::frame;
    box.kind = Kind::rail;
    box.at = places_.above.at;
    box.width = places_.above.width;
    box.height = places_.above.height;
    box.lines = {fitted(tier_words(blocks_.top.groups.front().tier, fabric_.tiers, switches), box.width - 24, title_size, true)};
    boxes_[{npos, npos}] = picture_.boxes.size();
    picture_.boxes.push_back(std::move(box));
  }

  const Group& group_at(Key key) const {
    return key.first == npos ? blocks_.top.groups[key.second] : blocks_.blocks[key.first].groups[key.second];
  }

  // Of the first and the last switch, each in half of a box's line.
  std::string range(const Group& it) const {
    const std::string between = " \u2026 ";
    const double half = (places_.group_width - 14 - text_width(between, line_size)) / 2;
    return names_.fitted(first_name(it), half, line_size, false) + between + names_.fitted(last_name(it), half, line_size, false);
  }
  std::string first_name(const Group& it) const { return fabric_.name(fabric_.switches[it.switches.front()]); }
  std::string last_name(const Group& it) const { return fabric_.name(fabric_.switches[it.switches.back()]); }

  void group_box(std::uint32_t block, std::size_t g, Point place) {
    const Key key{block, static_cast<std::uint32_t>(g)};
    const Group& it = group_at(key);
    const Switch& first = fabric_.switches[it.switches.front()];
    Box box;
    box.id = it.switches.size() == 1
                 ? fabric_.node(first).key
                 : fmt::format("group {} {}", block == npos ? std::string("top") : fmt::format("{}", block), g);
    box.kind = Kind::fabric_switch;
    box.at = place;
    box.width = places_.group_width;
    box.height = group_height;
    box.count = it.switches.size();
    box.warning = it.odd;
    const std::string many = tier_words(it.tier, fabric_.tiers, it.switches.size());
    std::vector<std::string> lines{it.switches.size() == 1 ? fabric_.name(first) : many};
    if (it.switches.size() > 1) lines.push_back(range(it));
    const std::string up = span(it, [&](const Switch& one) { return links_up(fabric_, one); });
    const std::string down =
        span(it, [&](const Switch& one) { return one.hosts.empty() ? links_down(fabric_, one) : one.hosts.size(); });
    lines.push_back(fmt::format("{} {}", down, first.hosts.empty() ? "down" : "hosts"));
    if (up != "0") lines.back() += fmt::format(", {} up", up);
    if (it.switches.size() == 1 && it.odd) lines.insert(lines.begin() + 1, finding_words(it));
    for (std::size_t i = 0; i < lines.size(); ++i)
      box.lines.push_back(names_.fitted(lines[i], places_.group_width - 14, i == 0 ? title_size : line_size, i == 0));
    if (it.switches.size() == 1) box.facts = facts_of(fabric_.node(first));
    box.facts.push_back({"tier", fmt::format("{}", it.tier)});
    if (it.switches.size() > 1) {
      box.facts.push_back({"stands for", many});
      box.facts.push_back({"first and last", first_name(it) + " \u2026 " + last_name(it)});
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
    boxes_[key] = picture_.boxes.size();
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

  // "no link to spine-3", "3 findings", "1 spine" where nothing is said.
  std::string finding_words(const Group& it) const {
    const Switch& one = fabric_.switches[it.switches.front()];
    const auto findings = fabric_.marks->of(one.node);
    if (findings.empty()) return fmt::format("1 {}", tier_words(it.tier, fabric_.tiers, 1).substr(2));
    if (findings.size() > 1) return counted(findings.size(), "finding", "findings");
    const Finding& finding = *findings.front();
    const NodePort& other = finding.a.key == fabric_.node(one).key ? finding.b : finding.a;
    const double room = places_.group_width - 14;
    const std::string words = finding.absent && !other.key.empty() ? "no link to " : finding.rule + ": ";
    const std::string& rest = finding.absent && !other.key.empty() ? other.name : finding.found;
    return words + names_.fitted(rest, room - text_width(words, line_size), line_size, false);
  }

  // The hosts of a group of leaves. Each host's name is found at the leaf of its first NIC.
  void strip(Key key, const Group& it) {
    std::vector<std::uint32_t> hosts;
    for (const std::uint32_t at : it.switches)
      hosts.insert(hosts.end(), fabric_.switches[at].hosts.begin(), fabric_.switches[at].hosts.end());
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    const Box above = picture_.boxes[boxes_[key]];
    Box box;
    box.id = above.id + " hosts";
    box.role = Role::bar;
    box.kind = Kind::machine;
    box.at = {above.at.x, above.at.y + group_height + places_.strip_gap};
    box.width = places_.group_width;
    box.height = strip_height;
    box.count = hosts.size();
    box.lines = {hosts.size() == 1
                     ? fitted_name(fabric_.name(fabric_.hosts[hosts.front()]), places_.group_width - 10, line_size, false)
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
    edge.bends = {{box.at.x + box.width / 2, box.at.y - places_.strip_gap}, {box.at.x + box.width / 2, box.at.y}};
    edge.label_at = {box.at.x + box.width / 2 + 5, box.at.y - 3};
    for (const std::uint32_t host : hosts)
      for (const Uplink& up : fabric_.hosts[host].uplinks)
        if (up.link != npos && blocks_.of[up.to] == key) edge.links.push_back(up.link);
    if (!edge.links.empty()) edge.facts = rates_of_links(fabric_, edge.links);
    picture_.edges.push_back(std::move(edge));
    strips_[key] = picture_.boxes.size();
    picture_.boxes.push_back(std::move(box));
  }

  LinkKind link_kind(const Host& host) const {
    const std::uint32_t link = host.uplinks.front().link;
    return link == npos ? LinkKind::tree : fabric_.view->graph().links[link].kind;
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
    if (places_.wrapped) gather(bundles);
    for (auto& [ends, bundle] : bundles)
      if (ends.first != ends.second)
        switch_edge(ends.first, ends.second, bundle, bundles.size() <= most_labels);
      else
        picture_.boxes[boxes_[ends.first]].facts.push_back({"links among themselves", fmt::format("{}", bundle.count)});
  }

  // In a wrapped picture what is as it should be is drawn once for each block, from its frame, and not from each row.
  void gather(std::map<std::pair<Key, Key>, Bundle>& bundles) const {
    std::map<std::pair<Key, Key>, Bundle> gathered;
    for (auto& [ends, bundle] : bundles) {
      const bool wrong = fabric_.wrong(bundle.links);
      const bool leaves_block = ends.first.first != npos && ends.second.first == npos;
      Bundle& into = gathered[leaves_block && !wrong ? std::pair(Key{ends.first.first, npos}, Key{npos, npos}) : ends];
      into.least = into.pairs == 0 ? bundle.least : std::min(into.least, bundle.least);
      into.most = std::max(into.most, bundle.most);
      into.links.insert(into.links.end(), bundle.links.begin(), bundle.links.end());
      into.count += bundle.count;
      into.pairs += bundle.pairs;
    }
    bundles = std::move(gathered);
  }

  void switch_edge(Key a, Key b, const Bundle& bundle, bool label) {
    Edge edge;
    const Box& lower = picture_.boxes[boxes_[a]];
    const Box& upper = picture_.boxes[boxes_[b]];
    edge.a = lower.id;
    edge.b = upper.id;
    edge.kind = bundle.links.empty() ? LinkKind::tree : fabric_.view->graph().links[bundle.links.front()].kind;
    edge.links = bundle.links;
    edge.weight = std::clamp(1 + 0.4 * std::log2(static_cast<double>(bundle.count)), 1.0, 4.5);
    if (!label) edge.weight = std::min(1.2, edge.weight);
    if (!bundle.links.empty()) edge.facts = rates_of_links(fabric_, bundle.links);
    std::size_t wrong = 0;
    std::string rate;
    for (const std::uint32_t at : bundle.links) {
      const Link& link = fabric_.view->graph().links[at];
      if (!fabric_.wrong_links.contains(at)) continue;
      ++wrong;
      rate = words_of_wrong(link);
    }
    edge.warning = wrong > 0;
    if (edge.warning && bundle.links.size() > 1)
      edge.label = {fmt::format("{} of {}{}", wrong, bundle.links.size(), after_colon(rate))};
    else if (edge.warning && !rate.empty())
      edge.label = {rate};
    else if (!edge.warning && label && bundle.least == bundle.most && bundle.most > 1)
      edge.label = {fmt::format("\u00d7{}", bundle.most)};
    else if (!edge.warning && label && bundle.least != bundle.most)
      edge.label = {fmt::format("\u00d7{}\u2013{}", bundle.least, bundle.most)};
    edge.facts.push_back({"between each pair", bundle.least == bundle.most
                                                   ? counted(bundle.most, "link", "links")
                                                   : fmt::format("{} to {} links", bundle.least, bundle.most)});
    if (a.second == npos) {
      edge.bends = trunk(places_, a.first);
      edge.label.clear();
      edge.label_at = {edge.bends[2].x + 3, edge.bends[2].y - 4};
    } else {
      edge.bends = {{}, {}, {}, {}};  // spread_edges() fills them
      edge.curved = true;
      pending_.push_back({picture_.edges.size(), boxes_[a], boxes_[b]});
    }
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
      edge.a = picture_.boxes[boxes_[a]].id;
      edge.b = picture_.boxes[boxes_[b]].id;
      edge.kind = LinkKind::infiniband;
      edge.warning = true;
      if (!places_.wrapped) edge.label = {"missing"};  // else its boxes say so
      edge.facts = {fact_of(*gap.finding)};
      edge.bends = {{}, {}, {}, {}};
      edge.curved = true;
      pending_.push_back({picture_.edges.size(), boxes_[a], boxes_[b]});
      picture_.edges.push_back(std::move(edge));
    }
  }

  Picture& picture_;
  const Fabric& fabric_;
  Blocks blocks_;
  CommonParts names_;  // of switches
  Places places_;
  std::map<Key, std::size_t> boxes_, strips_;  // of groups (npos: the block's frame) and of their hosts
  std::vector<Pending> pending_;
};

}  // namespace

void add_tiers(Picture& picture, const Fabric& fabric) { Tiers(picture, fabric).draw(); }

}  // namespace railgauge::topo::layout

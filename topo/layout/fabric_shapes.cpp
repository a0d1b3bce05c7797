// Pictures of fabrics without spines: a dragonfly's groups on a circle, a torus as a grid whose edges have stubs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "topo/layout/fabric.hpp"
#include "topo/layout/fabric_words.hpp"
#include "topo/layout/facts.hpp"
#include "topo/layout/measure.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

void add_hosts(const Fabric& fabric, const Switch& it, Box& box) {
  Members members;
  members.place = fabric.name(it);
  for (const std::uint32_t host : it.hosts)
    if (members.names.empty() || members.names.back() != fabric.name(fabric.hosts[host]))
      members.names.push_back(fabric.name(fabric.hosts[host]));
  if (!members.names.empty()) box.members.push_back(std::move(members));
}

// ---- dragonfly

constexpr std::size_t most_named = 60;    // groups; more are small boxes with their number
constexpr std::size_t most_chords = 400;  // pairs of groups; more are one sentence, and only what differs is drawn

Box group_box(const Fabric& fabric, std::uint32_t group, const std::vector<std::uint32_t>& switches, bool small) {
  Box box;
  box.id = fmt::format("group {}", group);
  box.kind = Kind::fabric_switch;
  box.role = small ? Role::bar : Role::card;
  box.width = small ? 38 : 116;
  box.height = small ? 22 : 60;
  std::size_t links = 0;
  std::size_t odd = 0;
  Members names;
  for (const std::uint32_t it : switches) {
    links += fabric.switches[it].hosts.size();
    odd += fabric.odd(fabric.switches[it]) ? 1U : 0U;
    names.names.push_back(fabric.name(fabric.switches[it]));
  }
  box.warning = odd != 0;
  box.lines = {small ? fmt::format("{}", group) : box.id};
  if (!small) {
    box.lines.push_back(counted(switches.size(), "switch", "switches"));
    box.lines.push_back(odd != 0 ? fmt::format("{} with exceptions", odd) : counted(links, "host link", "host links"));
  }
  box.facts = {{"group", fmt::format("{}", group)},
               {"switches", fmt::format("{}", switches.size())},
               {"links to hosts", fmt::format("{}", links)}};
  box.members.push_back(std::move(names));
  for (const std::uint32_t it : switches) add_hosts(fabric, fabric.switches[it], box);
  return box;
}

}  // namespace

void add_dragonfly(Picture& picture, const Fabric& fabric) {
  const fabric::GroupLinks between = fabric::links_of_groups(fabric);
  const std::uint32_t count = between.groups;
  const std::uint32_t usual = between.usual;
  std::vector<std::vector<std::uint32_t>> switches(count);
  for (std::uint32_t i = 0; i < fabric.switches.size(); ++i) switches[fabric.groups[i]].push_back(i);

  const bool small = count > most_named;
  const double step = small ? 46 : 140;
  const double radius = std::max(small ? 200.0 : 170.0, static_cast<double>(count) * step / (2 * std::numbers::pi));
  const double width = small ? 38 : 116;
  const double height = small ? 22 : 60;
  const Point centre{radius + width / 2, picture.height + radius + height / 2};
  std::vector<Point> at(count);
  for (std::uint32_t g = 0; g < count; ++g) {
    const double angle = 2 * std::numbers::pi * g / count - std::numbers::pi / 2;
    at[g] = {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
    Box box = group_box(fabric, g, switches[g], small);
    box.at = {at[g].x - width / 2, at[g].y - height / 2};
    picture.boxes.push_back(std::move(box));
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> lacking;
  for (const Gap& gap : fabric.gaps) lacking.insert(std::minmax(fabric.groups[gap.from], fabric.groups[gap.to]));
  const auto chord = [&](std::uint32_t a, std::uint32_t b, const fabric::GroupLinks::Links* pair) {
    Edge edge;
    edge.a = fmt::format("group {}", a);
    edge.b = fmt::format("group {}", b);
    edge.kind =
        pair == nullptr || pair->places.empty() ? LinkKind::infiniband : fabric.view->graph().links[pair->places.front()].kind;
    edge.curved = true;
    const auto inward = [&](Point p) { return Point{p.x + (centre.x - p.x) * 0.45, p.y + (centre.y - p.y) * 0.45}; };
    edge.bends = {at[a], inward(at[a]), inward(at[b]), at[b]};
    edge.label_centred = true;
    edge.label_at = {(edge.bends[0].x + 3 * edge.bends[1].x + 3 * edge.bends[2].x + edge.bends[3].x) / 8,
                     (edge.bends[0].y + 3 * edge.bends[1].y + 3 * edge.bends[2].y + edge.bends[3].y) / 8};
    edge.weight = 1;
    if (pair != nullptr) {
      edge.links = pair->places;
      if (!pair->places.empty()) edge.facts = rates_of_links(fabric, pair->places);
      edge.warning = fabric.wrong(pair->places) || lacking.contains({a, b});
      if (pair->count != usual) edge.label = {fmt::format("{} of {}", pair->count, usual)};
    } else {
      edge.warning = true;
      edge.label = {"missing"};
      edge.facts = {{"missing", fmt::format("{} links", usual)}};
    }
    if (edge.warning || between.all() <= most_chords) picture.edges.push_back(std::move(edge));
  };
  for (const auto& [ends, pair] : between.pairs) chord(ends.first, ends.second, &pair);
  for (const auto& [a, b] : lacking)
    if (!between.pairs.contains({a, b})) chord(a, b, nullptr);
  std::stable_partition(picture.edges.begin(), picture.edges.end(), [](const Edge& it) { return !it.warning; });
  picture.notes.push_back(
      fmt::format("{} joined by {}{}.", between.as_usual == between.all() ? "Each pair of groups is" : "Most pairs of groups are",
                  counted(usual, "link", "links"), lacking.empty() ? "" : "; those that lack some are in the warning colour"));
  picture.width = std::max(picture.width, 2 * radius + width);
  picture.height += 2 * radius + height;
}

// ---- torus

namespace {

constexpr double cell = 44, pitch = 76, slice_gap = 60, slice_heading = 30, widest = 1900;
constexpr std::size_t most_slices = 64;  // grids; more are counted but for those with exceptions

class Torus {
 public:
  Torus(Picture& picture, const Fabric& fabric)
      : picture_(picture), fabric_(fabric), columns_(fabric.sizes[0]), rows_(fabric.sizes[1]) {
    for (std::uint32_t i = 0; i < fabric.switches.size(); ++i) slices_[slice_of(i)].push_back(i);
  }

  void draw() {
    const double width = columns_ * pitch + 40;
    const double height = rows_ * pitch + (slices_.size() > 1 ? slice_heading : 0) + 20;
    double x = 0;
    double y = picture_.height;
    std::size_t shown = 0;
    for (const auto& [slice, switches] : slices_) {
      const bool odd =
          std::any_of(switches.begin(), switches.end(), [&](std::uint32_t it) { return fabric_.odd(fabric_.switches[it]); });
      if (shown >= most_slices && !odd) continue;
      if (x > 0 && x + width > widest) {
        x = 0;
        y += height + slice_gap;
      }
      draw_slice(slice, switches, x, y);
      x += width + slice_gap;
      picture_.width = std::max(picture_.width, x - slice_gap);
      ++shown;
    }
    picture_.height = y + height;
    edges();
    if (slices_.size() > shown) picture_.notes.push_back(fmt::format("{} of {} slices are drawn.", shown, slices_.size()));
    if (slices_.size() > 1)
      picture_.notes.emplace_back(
          "Links between slices join equal places of neighbouring ones; only those with an exception are drawn.");
  }

 private:
  using Slice = std::vector<std::uint32_t>;

  Slice slice_of(std::uint32_t at) const { return {fabric_.positions[at].begin() + 2, fabric_.positions[at].end()}; }

  void draw_slice(const Slice& slice, const std::vector<std::uint32_t>& switches, double x, double y) {
    if (slices_.size() > 1) {
      Box note;
      note.id = "slice";
      note.role = Role::note;
      std::string words;
      for (std::size_t d = 0; d < slice.size(); ++d) {
        words +=
            fmt::format("{}{} = {}", words.empty() ? "" : ", ", d == 0 ? std::string("z") : fmt::format("d{}", d + 2), slice[d]);
        note.id += fmt::format(" {}", slice[d]);
      }
      note.lines = {words};
      note.at = {x + 20, y};
      note.width = 120;
      note.height = 16;
      picture_.boxes.push_back(std::move(note));
      y += slice_heading;
    }
    for (const std::uint32_t it : switches) {
      const Switch& one = fabric_.switches[it];
      Box box;
      box.id = fabric_.node(one).key;
      box.role = Role::bar;
      box.kind = Kind::fabric_switch;
      box.at = {x + 20 + fabric_.positions[it][0] * pitch + (pitch - cell) / 2,
                y + fabric_.positions[it][1] * pitch + (pitch - cell) / 2};
      box.width = box.height = cell;
      box.warning = fabric_.odd(one);
      box.lines = {fmt::format("{},{}", fabric_.positions[it][0], fabric_.positions[it][1])};
      box.facts = facts_of(fabric_.node(one));
      box.facts.push_back({"links to hosts", fmt::format("{}", one.hosts.size())});
      box.members.push_back({"", {fabric_.name(one)}});
      add_hosts(fabric_, one, box);
      centres_[it] = {box.at.x + cell / 2, box.at.y + cell / 2};
      picture_.boxes.push_back(std::move(box));
    }
  }

  void edges() {
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i)
      for (const Peer& peer : fabric_.switches[i].peers)
        if (peer.other > i && centres_.contains(i) && centres_.contains(peer.other)) edge(i, peer);
    for (const Gap& gap : fabric_.gaps) {
      if (!centres_.contains(gap.from) || !centres_.contains(gap.to)) continue;
      const std::size_t before = picture_.edges.size();
      edge(gap.from, {gap.to, {}});
      for (std::size_t i = before; i < picture_.edges.size(); ++i) {
        picture_.edges[i].warning = true;
        picture_.edges[i].facts = {fact_of(*gap.finding)};
      }
    }
  }

  void edge(std::uint32_t i, const Peer& peer) {
    const auto& a = fabric_.positions[i];
    const auto& b = fabric_.positions[peer.other];
    std::size_t along = 0;
    while (along + 1 < a.size() && a[along] == b[along]) ++along;
    const bool bad = peer.links.empty() || fabric_.wrong(peer.links);
    if (along >= 2 && !bad) return;
    Edge edge;
    edge.a = fabric_.node(fabric_.switches[i]).key;
    edge.b = fabric_.node(fabric_.switches[peer.other]).key;
    edge.kind = peer.links.empty() ? LinkKind::infiniband : fabric_.view->graph().links[peer.links.front()].kind;
    edge.links = peer.links;
    edge.warning = bad;
    edge.weight = std::min(5.0, 1.5 + static_cast<double>(peer.count() - 1));
    if (!peer.links.empty()) edge.facts = rates_of_links(fabric_, peer.links);
    if (peer.count() > 1) edge.label = {fmt::format("\u00d7{}", peer.count())};
    const Point from = centres_[i];
    const Point to = centres_[peer.other];
    const std::uint32_t apart = a[along] > b[along] ? a[along] - b[along] : b[along] - a[along];
    if (along < 2 && apart > 1) {  // around the edge: a stub at either end
      const double x = along == 0 ? pitch / 2 - 4 : 0;
      const double y = along == 1 ? pitch / 2 - 4 : 0;
      const bool first = a[along] < b[along];
      Edge stub = edge;
      stub.bends = {from, {from.x + (first ? -x : x), from.y + (first ? -y : y)}};
      stub.label.clear();
      picture_.edges.push_back(std::move(stub));
      edge.bends = {to, {to.x + (first ? x : -x), to.y + (first ? y : -y)}};
      edge.label.clear();
    } else {
      edge.bends = {from, to};
      edge.label_at = {(from.x + to.x) / 2, (from.y + to.y) / 2 + 3};
      edge.label_centred = true;
    }
    picture_.edges.push_back(std::move(edge));
  }

  Picture& picture_;
  const Fabric& fabric_;
  std::uint32_t columns_ = 1, rows_ = 1;
  std::map<Slice, std::vector<std::uint32_t>> slices_;
  std::map<std::uint32_t, Point> centres_;
};

}  // namespace

void add_torus(Picture& picture, const Fabric& fabric) { Torus(picture, fabric).draw(); }

void add_fabric(Picture& picture, const Fabric& fabric) {
  switch (fabric.shape) {
    case Shape::dragonfly:
      add_dragonfly(picture, fabric);
      break;
    case Shape::torus:
      add_torus(picture, fabric);
      break;
    default:
      add_tiers(picture, fabric);
  }
  add_fabric_tables(picture, fabric);
}

}  // namespace railgauge::topo::layout

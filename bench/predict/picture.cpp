// The topology with its links coloured by load, and a table of the loads by what the links join.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/output/text.hpp"
#include "base/units.hpp"
#include "bench/predict/predict.hpp"
#include "topo/draw/picture.hpp"
#include "topo/fabric/fabric.hpp"
#include "topo/layout/layout.hpp"
#include "topo/ratios.hpp"
#include "topo/view.hpp"
#include "topo/words.hpp"

namespace railgauge::predict {
namespace {

constexpr double unused = 0.005;  // of the time: less is 0 % in words

// Links that join the same sorts of ends: "NIC to tier 1".
struct Group {
  std::size_t links = 0;
  double sum = 0, least = 1e300, most = 0;

  void add(double load) {
    ++links;
    sum += load;
    least = std::min(least, load);
    most = std::max(most, load);
  }
};
using Groups = std::map<std::pair<int, std::string>, Group>;  // in the order of the first: from inside a machine outwards

class Grouping {
 public:
  explicit Grouping(const topo::View& view) : view_(view) {
    const topo::fabric::Fabric fabric = topo::fabric::read_fabric(view);
    if (!fabric.tiered()) return;
    for (const topo::fabric::Switch& it : fabric.switches) tiers_[it.node] = it.tier;
  }

  [[nodiscard]] Groups of(const std::vector<double>& loads) const {
    Groups groups;
    for (std::size_t link = 0; link < loads.size(); ++link)
      if (loads[link] >= 0) groups[name_of(link)].add(loads[link]);
    return groups;
  }

 private:
  [[nodiscard]] std::pair<int, std::string> name_of(std::size_t link) const {
    const topo::LinkKind kind = view_.link(link).kind;
    if (topo::joins_gpus(kind)) return {0, fmt::format("{} of GPUs", topo::row(kind).word)};
    if (!topo::is_cable(kind)) return {1, "PCIe and other links inside machines"};
    const unsigned a = tier(view_.a(link));
    const unsigned b = tier(view_.b(link));
    const unsigned low = std::min(a, b);
    const unsigned high = std::max(a, b);
    const auto word = [](unsigned tier) {
      return tier == 0         ? std::string("NICs")
             : tier == no_tier ? std::string("switches")
                               : fmt::format("switches of tier {}", tier);
    };
    return {2 + static_cast<int>(std::min(high, 90U)), fmt::format("{} to {}", word(low), word(high))};
  }
  [[nodiscard]] unsigned tier(std::size_t node) const {
    if (view_.node(node).kind != topo::Kind::fabric_switch) return 0;
    const auto found = tiers_.find(node);
    return found == tiers_.end() || found->second == 0 ? no_tier : found->second;
  }

  static constexpr unsigned no_tier = 99;  // a switch of a torus or a dragonfly
  const topo::View& view_;
  std::unordered_map<std::size_t, unsigned> tiers_;
};

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string range(double least, double most) {
  return percent(least) == percent(most) ? percent(most) : fmt::format("{:.0f} to {:.0f} %", 100 * least, 100 * most);
}

// Whether a line stands for that link, among others.
bool mark(topo::Picture& picture, std::size_t link) {
  bool found = false;
  for (topo::Edge& edge : picture.edges)
    if (std::find(edge.links.begin(), edge.links.end(), link) != edge.links.end()) {
      edge.mark = "B";
      found = true;
    }
  return found;
}

double length(const topo::Point& a, const topo::Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

// Shares stand in the middle of the longest part of a line that has no words of its own; beside a line that is too short for
// them, at the right end of what is below it.
void place_shares(topo::Picture& picture) {
  constexpr double shortest = 16, width = 34;
  for (topo::Edge& edge : picture.edges) {
    if (!edge.label.empty() || edge.bends.size() < 2 || edge.curved) continue;
    std::size_t longest = 1;
    for (std::size_t i = 2; i < edge.bends.size(); ++i)
      if (length(edge.bends[i - 1], edge.bends[i]) > length(edge.bends[longest - 1], edge.bends[longest])) longest = i;
    const topo::Point &from = edge.bends[longest - 1], &to = edge.bends[longest];
    edge.label_centred = true;
    edge.label_at = {(from.x + to.x) / 2, (from.y + to.y) / 2 + 3};
    if (length(from, to) >= shortest) continue;
    for (const topo::Box& box : picture.boxes)
      if (box.id == edge.a || box.id == edge.b)
        if (box.kind == topo::Kind::machine) edge.label_at = {box.at.x + box.width - width / 2, box.at.y + box.height / 2 + 4};
  }
}

// What a line that stands for several links carries.
void add_facts(topo::Picture& picture, const std::vector<double>& loads) {
  for (topo::Edge& edge : picture.edges) {
    Group group;
    for (const std::uint32_t link : edge.links)
      if (link < loads.size() && loads[link] >= 0) group.add(loads[link]);
    if (group.links == 0) continue;
    edge.facts.push_back({"busy", range(group.least, group.most)});
    if (group.links > 1) edge.facts.push_back({"busy on average", percent(group.sum / static_cast<double>(group.links))});
  }
}

}  // namespace

std::string draw_loads(const topo::Graph& graph, const Answer& answer, bool page) {
  topo::Picture picture = topo::lay_out(graph);
  std::erase(picture.notes, topo::summary({}));  // nothing was checked
  std::erase_if(picture.tables, [](const topo::Table& table) { return table.id == "findings"; });
  if (!answer.loads) {
    picture.notes.insert(picture.notes.begin(), "No algorithm is predicted at the largest size, so no link is coloured.");
    return page ? topo::draw_html(picture, graph) : topo::draw_svg(picture, graph);
  }
  const Loads& loads = *answer.loads;
  const Prediction& it = loads.prediction;
  const topo::View view(graph);
  std::vector<std::string> notes = {fmt::format(
      "{} by {}, {} ranks, {}: predicted {}. Links are coloured by the share of that time in which they "
      "are busy, in the busier direction; a line for several links shows the busiest of them, and what is hardly used keeps the "
      "colour of its kind.",
      name(answer.question.collective), topo::printable(loads.algorithm), answer.ranks, format_bytes(it.bytes),
      answer.question.round > 0
          ? fmt::format("{} for round {} alone", format_seconds(Seconds(it.seconds)), answer.question.round)
          : fmt::format("{}, busbw {} GB/s", format_seconds(Seconds(it.seconds)), format_gigabytes(it.busbw)))};
  if (it.busiest) {
    const bool drawn = mark(picture, it.busiest->link);
    notes.push_back(fmt::format("Busiest{}: {}, {} of the time.", drawn ? ", marked B" : "", topo::printable(it.busiest->name),
                                percent(it.busiest->share)));
  }
  topo::Table table{"load",
                    "Load",
                    "Shares of the time in which links are busy, by what they join.",
                    {"links", "number", "least", "mean", "most"},
                    {}};
  std::string groups = "Busy:";
  for (const auto& [what, group] : Grouping(view).of(loads.links)) {
    const double mean = group.sum / static_cast<double>(group.links);
    groups += fmt::format("{} {}, {}: {}", groups.back() == ':' ? "" : ";", topo::counted(group.links, "link", "links"),
                          what.second, range(group.least, group.most));
    table.rows.push_back(
        {{what.second}, {fmt::format("{}", group.links)}, {percent(group.least)}, {percent(mean)}, {percent(group.most)}});
  }
  notes.push_back(groups + ".");
  picture.notes.insert(picture.notes.begin(), notes.begin(), notes.end());
  picture.tables.insert(picture.tables.begin(), std::move(table));
  add_facts(picture, loads.links);
  place_shares(picture);
  topo::Ratios shares;
  for (std::size_t link = 0; link < loads.links.size(); ++link) {
    if (loads.links[link] < unused) continue;
    double& share = shares[topo::link_key(graph.links[link])];
    share = std::max(share, loads.links[link]);
  }
  return page ? topo::draw_html(picture, graph, shares, topo::Shade::load)
              : topo::draw_svg(picture, graph, shares, topo::Shade::load);
}

}  // namespace railgauge::predict

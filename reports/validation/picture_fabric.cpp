// Where switches are known: the picture that topo/layout makes of them, with the numbers of the faulty links and the shares of
// the low ones.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "reports/record/result_text.hpp"
#include "reports/validation/fabric_of.hpp"
#include "reports/validation/pictures.hpp"
#include "reports/validation/words.hpp"
#include "reports/web/inert.hpp"
#include "topo/draw/svg.hpp"
#include "topo/layout/layout.hpp"
#include "topo/layout/measure.hpp"

namespace railgauge::validation {
namespace {

using web::html;
using web::shown;

constexpr std::size_t most_marks = 12;
constexpr std::size_t most_facts = 12;  // of an edge: links that are faulty or low
constexpr double margin = 16;           // around the picture
// The scale of the pictures of a topology, from what a validation takes for low and for far below on.
constexpr topo::Scale scale{low_share, far_below_share, 0.75};

class FabricPicture {
 public:
  explicit FabricPicture(const Validation& validation)
      : of_(validation), fabric_(fabric_of(validation)), picture_(topo::lay_out(fabric_.graph, fabric_.diagnosis)) {
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) boxes_.try_emplace(picture_.boxes[i].id, i);
  }

  MapPicture make() {
    number();
    tell_links_once();
    for (std::size_t i = 0; i < picture_.edges.size(); ++i) tell(i);
    for (topo::Box& box : picture_.boxes) plain(box.facts);
    MapPicture made;
    const double width = picture_.width + 2 * margin, height = picture_.height + 2 * margin;
    made.svg = fmt::format(
        "<svg class=\"railgauge map\" viewBox=\"{0:.0f} {0:.0f} {1:.0f} {2:.0f}\" width=\"{1:.0f}\" height=\"{2:.0f}\" "
        "role=\"img\" aria-label=\"Map of the fabric: {3}\">\n{4}</svg>\n",
        -margin, width, height, html(summary()),
        topo::draw_shapes(picture_, topo::ratios_of(picture_, fabric_.graph, fabric_.low), false, scale));
    made.caption = caption();
    made.marks = std::move(marks_);
    return made;
  }

 private:
  [[nodiscard]] const MapLink& link(std::uint32_t place) const { return of_.map.links[fabric_.links[place]]; }

  void number() {
    for (std::uint32_t i = 0; i < fabric_.links.size(); ++i) {
      if (!link(i).faulty) continue;
      ++faulty_;
      if (marks_.size() == most_marks) continue;
      marks_.push_back(words_of(of_.map, link(i)));
      numbers_[i] = marks_.size();
    }
  }

  // A host that stands out is drawn twice, with the others of its leaf and by itself. Its links are told there.
  void tell_links_once() {
    const auto narrower = [&](std::size_t a, std::size_t b) {
      return picture_.edges[a].links.size() < picture_.edges[b].links.size();
    };
    for (std::size_t i = 0; i < picture_.edges.size(); ++i)
      for (const std::uint32_t it : picture_.edges[i].links)
        if (const auto [at, fresh] = told_.try_emplace(it, i); !fresh && narrower(i, at->second)) at->second = i;
    for (std::size_t i = 0; i < picture_.edges.size(); ++i) {
      name_hosts(i);
      std::erase_if(picture_.edges[i].links, [&](std::uint32_t it) { return told_.at(it) != i; });
    }
  }

  // Which hosts a box stands for. The first edge to it is the one from their leaves.
  void name_hosts(std::size_t at) {
    const topo::Edge& edge = picture_.edges[at];
    const auto found = boxes_.find(edge.b);
    if (found == boxes_.end() || picture_.boxes[found->second].role != topo::Role::bar) return;
    topo::Box& box = picture_.boxes[found->second];
    std::vector<std::string> names;
    for (const std::uint32_t it : edge.links)
      if (!link(it).host.empty() && (names.empty() || names.back() != link(it).host)) names.push_back(link(it).host);
    if (names.empty() || box.lines.empty() || !leaf_edges_.try_emplace(edge.b, at, box.lines.front()).second) return;
    const std::string list = names_of(names), both = fmt::format("{}: {}", box.lines.front(), list);
    box.facts.push_back({"names", list});
    if (names.size() > 1 && topo::text_width(both, topo::line_size) <= box.width - 10) box.lines.front() = both;
  }

  // A fact that says nothing: keys are names, and a validation does not know of what kind a link is.
  static void plain(std::vector<topo::Fact>& facts) {
    std::erase_if(facts, [](const topo::Fact& it) { return it.name == "key" || it.name == "kind"; });
  }

  void tell(std::size_t at) {
    topo::Edge& edge = picture_.edges[at];
    plain(edge.facts);
    edge.title = title_of(edge.a) + " - " + title_of(edge.b);
    std::vector<std::size_t> numbers;
    std::size_t low = 0;
    for (const std::uint32_t it : edge.links) {
      if (const auto found = numbers_.find(it); found != numbers_.end()) numbers.push_back(found->second);
      low += is_low(link(it)) ? 1 : 0;
      if ((link(it).faulty || is_low(link(it))) && edge.facts.size() < most_facts)
        edge.facts.push_back({link(it).faulty ? "faulty" : "low", words_of(of_.map, link(it))});
    }
    edge.mark = ranges(numbers);
    if (const auto leaf = leaf_edges_.find(edge.b); leaf != leaf_edges_.end() && leaf->second.first == at && low != 0)
      picture_.boxes[boxes_.at(edge.b)].lines.front() = fmt::format("{}, {} low", leaf->second.second, low);
  }

  // The name of what a box is, or what it stands for.
  [[nodiscard]] std::string title_of(const std::string& id) const {
    const auto found = boxes_.find(id);
    if (found == boxes_.end()) return shown(id);
    const topo::Box& box = picture_.boxes[found->second];
    for (const topo::Fact& fact : box.facts)
      if (fact.name == "name") return fact.value;
    return box.lines.empty() ? shown(id) : box.lines.front();
  }

  // "1-3, 7".
  static std::string ranges(const std::vector<std::size_t>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
      std::size_t last = i;
      while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
      text += (text.empty() ? "" : ", ") + fmt::format("{}", numbers[i]);
      if (last > i) text += fmt::format("-{}", numbers[last]);
      i = last + 1;
    }
    return text;
  }

  [[nodiscard]] std::string summary() const {
    return fmt::format("{} {}, {}; {} faulty", of_.map.switches.size(), of_.map.switches.size() == 1 ? "switch" : "switches",
                       plural(of_.hosts.size(), "host"), plural(faulty_, "link"));
  }

  [[nodiscard]] std::string caption() const {
    std::string text =
        leaf_edges_.empty()
            ? "Boxes are switches, and tell their names and hosts when they are pointed at. "
            : "Hosts stand below their leaves, and those that stand out once more below them, with all of their links. ";
    text += faulty_ == 0 ? "No link is faulty."
                         : "A thick dashed line is a faulty link, and its number that of the list; ✖ marks what is faulty.";
    if (faulty_ > marks_.size())
      text += fmt::format(" Of {} faulty links the first {} are numbered; the table has them all.", faulty_, marks_.size());
    text += fmt::format(
        " A line with a share is or holds a link at less than {:.0f} % of what is usual, the lowest of them: yellow from {:.0f} "
        "%, "
        "orange from {:.0f} %, red below. ⚠ is a lost host, ? one of which nothing was decided.",
        100 * low_share, 100 * scale.fair, 100 * scale.poor);
    for (std::size_t i = 1; i < picture_.notes.size(); ++i) text += " " + picture_.notes[i];
    std::vector<std::string> undrawn;
    for (const topo::Finding& it : fabric_.diagnosis.findings)
      if (!boxes_.contains(it.a.key) && (it.link == topo::View::none || !told_.contains(static_cast<std::uint32_t>(it.link))))
        undrawn.push_back(fmt::format("{} ({})", topo::ends_of(it), it.rule));
    if (!undrawn.empty()) text += fmt::format(" Not drawn apart: {}.", names(undrawn));
    if (!fabric_.apart.empty()) text += fmt::format(" Of {} no switch is known.", names(fabric_.apart));
    return text;
  }

  static std::string names(const std::vector<std::string>& all) {
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), most_facts); ++i) text += (i == 0 ? "" : ", ") + all[i];
    return all.size() > most_facts ? text + fmt::format(" and {} more", all.size() - most_facts) : text;
  }

  const Validation& of_;
  KnownFabric fabric_;
  topo::Picture picture_;
  std::unordered_map<std::string, std::size_t> boxes_;                               // by their ids
  std::unordered_map<std::string, std::pair<std::size_t, std::string>> leaf_edges_;  // by the box of hosts that they lead to
  std::unordered_map<std::uint32_t, std::size_t> numbers_;                           // of links of the graph
  std::unordered_map<std::uint32_t, std::size_t> told_;  // of links of the graph: the edge that tells of it
  std::size_t faulty_ = 0;
  std::vector<std::string> marks_;
};

}  // namespace

MapPicture draw_fabric(const Validation& validation) { return FabricPicture(validation).make(); }

}  // namespace railgauge::validation

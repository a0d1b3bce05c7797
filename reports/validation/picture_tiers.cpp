// Switches in rows above their hosts. Of many, those with findings are drawn, and one box counts the others.
//
//     [spine0]   [spine1]              tier 1
//       |    \  /    |
//     [leaf0]   [leaf1]  (30 more)     tier 0
//       |     (1)  |                   (1): a faulty link
//     [n0]    [n3 x]     (126 more)    hosts
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "reports/record/result_text.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/pictures.hpp"
#include "reports/validation/words.hpp"
#include "reports/web/inert.hpp"
#include "topo/layout/measure.hpp"

namespace railgauge::validation {
namespace {

using web::html;
using web::shown;

constexpr std::size_t most_boxes = 24;  // in a row, all of them; of more those with findings
constexpr std::size_t most_special = 16;
constexpr std::size_t most_marks = 12;
constexpr double width = 1160, box_height = 34, row_distance = 132, gap = 8, widest = 132, margin = 14;

struct Box {
  std::string name, title, style;
  std::optional<HostState> state;  // that its mark says; of a switch that is at fault `faulty`
  double x = 0, y = 0, width = 0;
  [[nodiscard]] double middle() const { return x + width / 2; }
};

// Boxes of one row, by the place of what they stand for; `rest` stands for the others.
struct BoxRow {
  std::vector<std::size_t> places;
  std::size_t others = 0;
  std::map<std::size_t, Box> boxes;
  Box rest;
};

// The lower and the upper box of a line, by where they stand: equal fabrics give equal pictures.
using BoxPair = std::pair<const Box*, const Box*>;
struct ByPlace {
  bool operator()(const BoxPair& a, const BoxPair& b) const {
    const auto place = [](const BoxPair& it) { return std::tuple(it.first->y, it.first->x, it.second->y, it.second->x); };
    return place(a) < place(b);
  }
};

// One line, of all links between the same two boxes.
struct Line {
  std::size_t links = 0, low = 0;
  double lowest = 1;
};

class Tiers {
 public:
  explicit Tiers(const Validation& validation) : of_(validation) {
    for (std::size_t i = 0; i < of_.hosts.size(); ++i) host_places_.try_emplace(of_.hosts[i].name, i);
    for (const MapSwitch& it : of_.map.switches) tiers_ = std::max(tiers_, std::min(it.tier, most_tiers) + 1);
  }

  MapPicture make() {
    for (const Diagnosis& diagnosis : of_.diagnoses)
      if (diagnosis.faulty)
        for (const std::string& end : {diagnosis.from, diagnosis.to}) faulty_ends_.insert(end);
    choose();
    place();
    links();
    boxes();
    MapPicture picture;
    const double height = margin * 2 + box_height + row_distance * tiers_;
    picture.svg = fmt::format(
        "<svg class=\"fabric\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Map of the fabric: {}\">\n{}</svg>\n",
        width, height, html(summary()), out_);
    picture.caption = caption();
    picture.marks = std::move(marks_);
    return picture;
  }

 private:
  static constexpr unsigned most_tiers = 6;
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  [[nodiscard]] unsigned tier_of(std::size_t place) const { return std::min(of_.map.switches[place].tier, most_tiers - 1); }
  [[nodiscard]] std::size_t host_of(const MapLink& link) const {
    const auto found = host_places_.find(link.host);
    return found == host_places_.end() ? nobody : found->second;
  }
  [[nodiscard]] bool is_faulty(const MapSwitch& it) const {
    return std::any_of(faulty_ends_.begin(), faulty_ends_.end(), [&](const std::string& end) { return end == it.name; });
  }

  static void take(BoxRow& row, const std::vector<std::size_t>& all, const std::vector<std::size_t>& special) {
    if (all.size() <= most_boxes) {
      row.places = all;
      return;
    }
    const std::set<std::size_t> chosen(special.begin(),
                                       special.begin() + static_cast<std::ptrdiff_t>(std::min(special.size(), most_special)));
    row.places.assign(chosen.begin(), chosen.end());
    row.others = all.size() - chosen.size();
  }

  void choose() {
    std::vector<std::size_t> all, special;
    for (std::size_t i = 0; i < of_.hosts.size(); ++i) all.push_back(i);
    for (const HostState state : {HostState::faulty, HostState::lost, HostState::doubtful})
      for (const std::size_t i : all)
        if (of_.hosts[i].state == state) special.push_back(i);
    take(hosts_, all, special);
    const std::set<std::size_t> seen(hosts_.places.begin(), hosts_.places.end());

    // Of switches first those that are faulty or at an end of a faulty link, then those that hosts in the picture hang on.
    std::vector<std::vector<std::size_t>> all_of(tiers_), special_of(tiers_);
    std::vector<bool> known(of_.map.switches.size());
    const auto want = [&](std::size_t place) {
      if (place >= known.size() || known[place]) return;
      known[place] = true;
      special_of[tier_of(place)].push_back(place);
    };
    for (std::size_t i = 0; i < of_.map.switches.size(); ++i) {
      all_of[tier_of(i)].push_back(i);
      if (is_faulty(of_.map.switches[i])) want(i);
    }
    for (const MapLink& link : of_.map.links)
      if (link.faulty) {
        want(link.a);
        if (link.host.empty()) want(link.b);
      }
    for (const MapLink& link : of_.map.links)
      if (!link.host.empty())
        if (const std::size_t host = host_of(link); seen.contains(host) && of_.hosts[host].state != HostState::good) want(link.a);
    rows_.resize(tiers_);
    for (unsigned tier = 0; tier < tiers_; ++tier) take(rows_[tier], all_of[tier], special_of[tier]);
  }

  static void spread(BoxRow& row, double y) {
    const std::size_t count = row.places.size() + (row.others != 0 ? 1 : 0);
    if (count == 0) return;
    const double room = (width - 2 * margin) / static_cast<double>(count), wide = std::min(widest, room - gap);
    for (std::size_t i = 0; i < count; ++i) {
      Box& box = i < row.places.size() ? row.boxes[row.places[i]] : row.rest;
      box.x = margin + room * static_cast<double>(i) + (room - wide) / 2;
      box.y = y;
      box.width = wide;
    }
  }

  void place() {
    for (unsigned tier = 0; tier < tiers_; ++tier) {
      BoxRow& row = rows_[tier];
      spread(row, margin + row_distance * (tiers_ - 1 - tier));
      for (auto& [place, box] : row.boxes) {
        const MapSwitch& it = of_.map.switches[place];
        box.name = it.name;
        box.title = it.name;
        box.style = is_faulty(it) ? "switch faulty" : "switch";
        if (is_faulty(it)) box.state = HostState::faulty;
      }
      row.rest.name = fmt::format("{} more", row.others);
      row.rest.style = "rest";
    }
    spread(hosts_, margin + row_distance * tiers_);
    for (auto& [place, box] : hosts_.boxes) {
      const Host& host = of_.hosts[place];
      box.name = host.name;
      box.title =
          fmt::format("{}: {}{}{}", shown(host.name), name(host.state), host.reason.empty() ? "" : ": ", shown(host.reason));
      box.style = fmt::format("host {}", name(host.state));
      box.state = host.state;
    }
    hosts_.rest.name = fmt::format("{} more", hosts_.others);
    hosts_.rest.style = "rest";
  }

  const Box* box_of(const BoxRow& row, std::size_t place) const {
    const auto found = row.boxes.find(place);
    if (found != row.boxes.end()) return &found->second;
    return row.others != 0 ? &row.rest : nullptr;
  }

  // Of a link its lower and its upper end.
  [[nodiscard]] BoxPair ends_of_link(const MapLink& link) const {
    if (link.a >= of_.map.switches.size()) return {};
    const Box* a = box_of(rows_[tier_of(link.a)], link.a);
    if (!link.host.empty()) {
      const std::size_t host = host_of(link);
      return {host == nobody ? nullptr : box_of(hosts_, host), a};
    }
    if (link.b >= of_.map.switches.size()) return {};
    const Box* b = box_of(rows_[tier_of(link.b)], link.b);
    return tier_of(link.a) <= tier_of(link.b) ? std::pair(a, b) : std::pair(b, a);
  }

  void links() {
    std::map<BoxPair, Line, ByPlace> lines;
    std::vector<const MapLink*> faulty;
    for (const MapLink& link : of_.map.links) {
      const auto ends = ends_of_link(link);
      if (ends.first == nullptr || ends.second == nullptr || ends.first == ends.second) continue;
      if (link.faulty) faulty.push_back(&link);
      Line& line = lines[ends];
      ++line.links;
      if (link.share && *link.share < low_share) {
        ++line.low;
        line.lowest = std::min(line.lowest, *link.share);
      }
    }
    // What is as usual lies below what is not.
    for (const bool low : {false, true})
      for (const auto& [ends, line] : lines)
        if ((line.low != 0) == low)
          out_ +=
              line_of(ends,
                      line.low == 0                   ? "link"
                      : line.lowest < far_below_share ? "link far"
                                                      : "link low",
                      fmt::format("{} - {}: {}{}", shown(ends.first->name), shown(ends.second->name), plural(line.links, "link"),
                                  low ? fmt::format(", the lowest at {} of usual", percent(line.lowest)) : ""));
    std::map<BoxPair, int, ByPlace> marked;
    std::string numbers;
    for (const MapLink* link : faulty) {
      const auto ends = ends_of_link(*link);
      const std::string words = words_of_link(*link);
      out_ += line_of(ends, "link faulty", words);
      if (marks_.size() == most_marks) continue;
      marks_.push_back(words);
      // Not in the middle, where most lines cross; a second one on the same line stands further along.
      const double along = 0.3 + 0.18 * marked[ends]++;
      const double x = ends.first->middle() + along * (ends.second->middle() - ends.first->middle());
      const double y = ends.first->y + along * (ends.second->y + box_height - ends.first->y);
      numbers += fmt::format(
          "<g class=\"mark\"><circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"10\"/><text x=\"{0:.1f}\" y=\"{2:.1f}\">{3}</text></g>\n",
          x, y, y + 4, marks_.size());
    }
    over_ = std::move(numbers);
  }

  [[nodiscard]] std::string words_of_link(const MapLink& link) const {
    const auto end = [](const std::string& name, const std::string& port, const char* between) {
      return shown(name) + (port.empty() ? "" : between + shown(port));
    };
    const std::string& a = of_.map.switches[link.a].name;
    std::string text = link.host.empty()
                           ? end(a, link.a_port, " port ") + " - " + end(of_.map.switches[link.b].name, link.b_port, " port ")
                           : end(link.host, link.a_port, ":") + " - " + end(a, link.b_port, " port ");
    if (link.share) text += fmt::format(", {} of usual", percent(link.share));
    return text;
  }

  static std::string line_of(const BoxPair& ends, std::string_view style, const std::string& title) {
    const auto& [low, high] = ends;
    // Switches of one tier are joined by an arc below them.
    if (low->y == high->y)
      return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}q{:.1f} 46 {:.1f} 0\"><title>{}</title></path>\n", style,
                         low->middle(), low->y + box_height, (high->middle() - low->middle()) / 2, high->middle() - low->middle(),
                         html(title));
    return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"><title>{}</title></path>\n", style, low->middle(),
                       low->y, high->middle(), high->y + box_height, html(title));
  }

  void draw(const Box& box) {
    if (box.width <= 0) return;
    std::string mark;
    if (box.state == HostState::faulty) mark = "✖ ";
    if (box.state == HostState::lost) mark = "⚠ ";
    if (box.state == HostState::doubtful) mark = "? ";
    const double size = box.width < 60 ? 10 : 12;
    const std::string text = topo::fitted_name(mark + shown(box.name), box.width - 6, size, true);
    out_ += fmt::format(
        "<g class=\"box {}\"><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"5\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\">{}</text></g>\n",
        box.style, html(box.title.empty() ? box.name : box.title), box.x, box.y, box.width, box_height, box.middle(),
        box.y + box_height / 2 + 4, size, html(text));
  }

  void boxes() {
    for (const BoxRow& row : rows_) {
      for (const auto& [place, box] : row.boxes) draw(box);
      draw(row.rest);
    }
    for (const auto& [place, box] : hosts_.boxes) draw(box);
    draw(hosts_.rest);
    out_ += over_;
  }

  [[nodiscard]] std::string summary() const {
    return fmt::format("{} {}, {}; {} faulty", of_.map.switches.size(), of_.map.switches.size() == 1 ? "switch" : "switches",
                       plural(of_.hosts.size(), "host"), plural(marks_.size(), "link"));
  }

  [[nodiscard]] std::string caption() const {
    std::string text = "Hosts stand at the bottom, the switches above them. ";
    text +=
        marks_.empty() ? "No link is faulty." : "A thick line with a number is a faulty link; ✖ marks a faulty host or switch.";
    text += fmt::format(
        " Dashed lines are links at less than {:.0f} % of what is usual, ⚠ is a lost host, ? one of which nothing was decided.",
        100 * low_share);
    std::size_t others = hosts_.others;
    for (const BoxRow& row : rows_) others += row.others;
    if (others != 0) text += " Of so many, those with findings are drawn, and a box counts the others.";
    return text;
  }

  const Validation& of_;
  unsigned tiers_ = 0;
  std::unordered_map<std::string, std::size_t> host_places_;
  std::set<std::string> faulty_ends_;
  BoxRow hosts_;
  std::vector<BoxRow> rows_;
  std::string out_, over_;
  std::vector<std::string> marks_;
};

}  // namespace

MapPicture draw_tiers(const Validation& validation) { return Tiers(validation).make(); }

}  // namespace railgauge::validation

// The band below the devices of a machine: what joins GPUs without PCIe, to each other or through NVSwitches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "topo/layout/arcs.hpp"
#include "topo/layout/facts.hpp"
#include "topo/layout/machine.hpp"
#include "topo/layout/measure.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr double above_bar = 58, switch_width = 92, switch_height = 34, track_step = 20, chip_width = 86, chip_height = 30;
constexpr std::size_t most_arcs = 64;  // pairs of GPUs; more are a table only

struct Bundle {
  unsigned count = 0;
  double nominal = 0;
  bool warning = false;
  std::vector<std::uint32_t> links;
};

class Band {
 public:
  Band(Picture& picture, const Index& index, const Marks& marks, LinkKind kind, const std::vector<Anchor>& anchors)
      : picture_(picture), index_(index), marks_(marks), kind_(kind), anchors_(anchors) {
    for (std::size_t i = 0; i < anchors.size(); ++i) numbers_[anchors[i].node] = i;
    for (std::uint32_t i = 0; i < index.graph.links.size(); ++i) {
      const Link& link = index.graph.links[i];
      if (link.kind != kind) continue;
      const std::size_t a = index.find(link.a);
      const std::size_t b = index.find(link.b);
      if (a == Index::none || b == Index::none || a == b) continue;
      const auto gpu_a = numbers_.find(a);
      const auto gpu_b = numbers_.find(b);
      if (gpu_a != numbers_.end() && gpu_b != numbers_.end())
        add(pairs_[std::minmax(gpu_a->second, gpu_b->second)], i);
      else if (gpu_a != numbers_.end() || gpu_b != numbers_.end())
        other_end(gpu_a != numbers_.end() ? gpu_a->second : gpu_b->second, gpu_a != numbers_.end() ? b : a, i);
      else if (index.node(a).kind == Kind::nvswitch && index.node(b).kind == Kind::nvswitch)
        trunks_.emplace_back(i);
    }
  }

  [[nodiscard]] bool empty() const { return pairs_.empty() && to_switches_.empty() && to_others_.empty(); }

  double draw(double left, double right, double bottom, bool again) {
    double from = bottom;
    if (again && !(to_switches_.empty() && pairs_.empty())) from = chips(left, right, bottom + 34);
    double end = from;
    if (!to_switches_.empty()) end = switches(left, right, from);
    if (!pairs_.empty()) end = std::max(end, uniform() ? draw_uniform(left, right, from) : arcs(left, right, from));
    others();
    if (!pairs_.empty()) picture_.tables.push_back(matrix());
    return end;
  }

 private:
  void add(Bundle& bundle, std::uint32_t at) const {
    const Link& link = index_.graph.links[at];
    bundle.warning = bundle.warning || marks_.link(at);
    bundle.links.push_back(at);
    if (link.state == LinkState::down || link.state == LinkState::disabled) return;
    bundle.count += link.count;
    bundle.nominal += link.bandwidth.nominal;
  }

  void other_end(std::size_t gpu, std::size_t other, std::uint32_t at) {
    if (index_.node(other).kind == Kind::nvswitch) {
      add(to_switches_[gpu], at);
      switches_.emplace(other, switches_.size());
    } else {
      add(to_others_[{gpu, other}], at);
    }
  }

  // hwloc tells the bandwidth of a pair and not how many links there are.
  bool counts_known() const {
    return std::any_of(index_.graph.links.begin(), index_.graph.links.end(), [&](const Link& link) {
      return link.kind == kind_ && (link.count > 1 || link.a_port != 0 || link.provenance != Provenance{"hwloc"});
    });
  }

  std::string words(const Bundle& bundle) const {
    const bool counted = counts_known();
    if (counted && bundle.count == 0) return "none";
    if (bundle.nominal <= 0) return counted ? fmt::format("{}\u00d7", bundle.count) : std::string(row(kind_).word);
    if (!counted) return gigabytes(bundle.nominal) + " GB/s";
    return fmt::format("{} \u00d7 {} GB/s", bundle.count, gigabytes(bundle.nominal / bundle.count));
  }

  void fill(Edge& edge, const Bundle& bundle) const {
    edge.kind = kind_;
    edge.links = bundle.links;
    edge.weight = weight_of(bundle.nominal);
    edge.warning = bundle.warning;
    if (bundle.links.size() == 1) {
      edge.facts = facts_of(index_.graph.links[bundle.links.front()]);
    } else {
      edge.facts = {{"kind", std::string(row(kind_).word)}, {"links", fmt::format("{}", bundle.count)}};
      if (bundle.nominal > 0) edge.facts.push_back({"nominal", gigabytes(bundle.nominal) + " GB/s each direction"});
      for (const std::uint32_t at : bundle.links)
        if (const Link& link = index_.graph.links[at]; marks_.link(at))
          edge.facts.push_back(
              {"wrong", fmt::format("{} - {}: {} {}", link.a, link.b, row(link.state).name, rate_words(kind_, link.active))});
    }
  }

  const std::string& key(std::size_t gpu) const { return index_.node(anchors_[gpu].node).key; }

  // GPUs once more, in one row, where their cards stand in several.
  double chips(double left, double right, double top) {
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < anchors_.size(); ++i) shown.push_back(i);
    const double step = std::min(chip_width + 30, (right - left) / static_cast<double>(std::max<std::size_t>(1, shown.size())));
    const double width = std::min(chip_width, step - 6);
    double x = left + (right - left - step * static_cast<double>(shown.size())) / 2 + (step - width) / 2;
    for (const std::size_t i : shown) {
      Box box;
      box.id = key(i) + std::string(" ") + std::string(row(kind_).word);
      box.role = Role::bar;
      box.kind = Kind::gpu;
      box.at = {x, top};
      box.width = width;
      box.height = chip_height;
      std::string name = anchors_[i].name;
      if (text_width(name, title_size) > width - 8) name = name.substr(name.rfind(' ') + 1);  // its number
      box.lines = {fitted(name, width - 8, title_size)};
      box.facts = {{"is", key(i)}};
      picture_.boxes.push_back(std::move(box));
      anchors_[i].x = x;
      anchors_[i].width = width;
      anchors_[i].bottom = top + chip_height;
      x += step;
    }
    return top + chip_height;
  }

  Box bar(double left, double right, double top, double height, const std::string& text) const {
    double from = right;
    double to = left;
    for (const Anchor& it : anchors_) {
      from = std::min(from, it.x);
      to = std::max(to, it.x + it.width);
    }
    Box box;
    box.id = fmt::format("band {} {}", row(kind_).name, key(0));
    box.role = Role::frame;
    box.kind = Kind::nvswitch;
    const double wished = static_cast<double>(switches_.size()) * (switch_width + 10) + 20;
    box.width = std::max({to - from, text_width(text, title_size, true) + 40, std::min(wished, right - left)});
    box.at = {std::max(left, std::min(from, right - box.width)), top};
    box.height = height;
    box.lines = {text};
    return box;
  }

  double switches(double left, double right, double from) {
    const double top = from + above_bar;
    std::map<unsigned, std::size_t> often;
    for (const auto& [gpu, bundle] : to_switches_) ++often[bundle.count];
    const unsigned usual =
        std::max_element(often.begin(), often.end(), [](const auto& a, const auto& b) { return a.second <= b.second; })->first;
    std::string text = counted(switches_.size(), Kind::nvswitch);
    double trunk = 0;
    for (const std::uint32_t at : trunks_) trunk += index_.graph.links[at].bandwidth.nominal;
    if (!trunks_.empty()) text += trunk > 0 ? fmt::format(", {} GB/s between them", gigabytes(trunk)) : ", joined to each other";
    // Where the lines stand too close for words, the bar says what all have alike.
    const bool close = anchors_.size() > 10;
    if (close)
      for (const auto& [gpu, bundle] : to_switches_)
        if (bundle.count == usual && !bundle.warning) {
          text += fmt::format(", {} of each GPU", words(bundle));
          break;
        }
    const bool folded = switches_.size() > 18;
    Box box = bar(left, right, top, folded ? 40 : 34 + switch_height + 10, text);
    const std::string id = box.id;
    const double x0 = box.at.x;
    const double width = box.width;
    picture_.boxes.push_back(std::move(box));
    const double step = width / static_cast<double>(switches_.size());
    const double card_width = std::min(switch_width, step - 8);
    std::size_t n = 0;
    for (const auto& it : switches_) {
      if (folded) {
        picture_.boxes.back().members.push_back({"", {index_.node(it.first).key, index_.node(it.first).name}});
        continue;
      }
      const Node& node = index_.node(it.first);
      Box card;
      card.id = node.key;
      card.role = Role::bar;
      card.kind = Kind::nvswitch;
      card.at = {x0 + step * (static_cast<double>(n) + 0.5) - card_width / 2, top + 32};
      card.width = card_width;
      card.height = switch_height;
      const std::string name = fmt::format("NVSwitch {}", n);  // of many the number alone: the bar says what they are
      card.lines = {text_width(name, line_size) <= card_width - 4 ? name : fmt::format("{}", n)};
      card.facts = facts_of(node);
      picture_.boxes.push_back(std::move(card));
      ++n;
    }
    for (auto& [gpu, bundle] : to_switches_) {
      Edge edge;
      edge.a = key(gpu);
      edge.b = id;
      fill(edge, bundle);
      edge.label = {words(bundle)};
      if (bundle.count < usual) {
        edge.warning = edge.warning || marks_.node(anchors_[gpu].node);
        edge.label = {fmt::format("{} of {} links", bundle.count, usual), words(bundle)};
        edge.facts.push_back({"expected", fmt::format("{} links, as its siblings have", usual)});
      } else if (close) {
        edge.label.clear();
      }
      down(std::move(edge), gpu, from, top);
    }
    return top + picture_.boxes[picture_.boxes.size() - 1 - n].height;
  }

  void down(Edge edge, std::size_t gpu, double from, double to) {
    const double x = anchors_[gpu].x + anchors_[gpu].width / 2;
    edge.bends = {{x, anchors_[gpu].bottom}, {x, to}};
    edge.label_at = {x + 7, from + (to - from) / 2 + (edge.label.size() > 1 ? -3.0 : 3.0) + 6};
    picture_.edges.push_back(std::move(edge));
  }

  // Whether all pairs of the GPUs that have such links have equal ones.
  bool uniform() const {
    std::vector<bool> linked(anchors_.size());
    for (const auto& [ends, bundle] : pairs_) linked[ends.first] = linked[ends.second] = true;
    const auto n = static_cast<std::size_t>(std::count(linked.begin(), linked.end(), true));
    const Bundle& first = pairs_.begin()->second;
    return n > 2 && pairs_.size() == n * (n - 1) / 2 && std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& it) {
             return !it.second.warning && it.second.count == first.count && std::abs(it.second.nominal - first.nominal) < 1e-6;
           });
  }

  double draw_uniform(double left, double right, double from) {
    const double top = from + above_bar;
    const Bundle& one = pairs_.begin()->second;
    Box box = bar(left, right, top, 40, fmt::format("each pair of GPUs: {} {}", row(kind_).word, words(one)));
    const std::string id = box.id;
    const double bottom = top + box.height;
    picture_.boxes.push_back(std::move(box));
    std::map<std::size_t, Bundle> all;
    for (const auto& [ends, bundle] : pairs_)
      for (const std::size_t gpu : {ends.first, ends.second}) {
        all[gpu].count += bundle.count;
        all[gpu].nominal += bundle.nominal;
        all[gpu].links.insert(all[gpu].links.end(), bundle.links.begin(), bundle.links.end());
      }
    for (const auto& [gpu, bundle] : all) {
      Edge edge;
      edge.a = key(gpu);
      edge.b = id;
      fill(edge, bundle);
      if (anchors_.size() <= 10) edge.label = {words(bundle)};
      down(std::move(edge), gpu, from, top);
    }
    return bottom;
  }

  // One line a pair: down from one GPU, across on a track of its own, up to the other.
  double arcs(double left, double /*right*/, double from) {
    if (pairs_.size() > most_arcs) {
      Box note;
      note.id = fmt::format("band {} {}", row(kind_).name, key(0));
      note.role = Role::note;
      note.at = {left, from + 24};
      note.width = 500;
      note.height = 16;
      note.lines = {fmt::format("{} pairs of GPUs are joined by {}: see the table below", pairs_.size(), row(kind_).word)};
      picture_.boxes.push_back(std::move(note));
      return from + 44;
    }
    std::vector<Arc> all;
    std::vector<const Bundle*> bundles;
    for (const auto& [ends, bundle] : pairs_) {
      all.push_back({ends.first, ends.second, bundles.size()});
      bundles.push_back(&bundle);
    }
    const std::size_t tracks = place_arcs(all, anchors_);
    for (const Arc& arc : all) {
      const double y = from + 22 + static_cast<double>(arc.track) * track_step;
      Edge edge;
      edge.a = key(arc.a);
      edge.b = key(arc.b);
      fill(edge, *bundles[arc.pair]);
      edge.label = {words(*bundles[arc.pair])};
      edge.bends = {{arc.x1, anchors_[arc.a].bottom}, {arc.x1, y}, {arc.x2, y}, {arc.x2, anchors_[arc.b].bottom}};
      edge.label_centred = true;
      edge.label_at = {(arc.x1 + arc.x2) / 2, y + 3.5};
      picture_.edges.push_back(std::move(edge));
    }
    return from + 22 + static_cast<double>(tracks) * track_step;
  }

  // GPU to processor: from the frame that is the processor down to the card, behind what stands between.
  void others() {
    for (const auto& [ends, bundle] : to_others_) {
      const auto frame = std::find_if(picture_.boxes.begin(), picture_.boxes.end(),
                                      [&](const Box& box) { return box.id == index_.node(ends.second).key; });
      const auto card =
          std::find_if(picture_.boxes.begin(), picture_.boxes.end(), [&](const Box& box) { return box.id == key(ends.first); });
      if (frame == picture_.boxes.end() || card == picture_.boxes.end()) continue;
      Edge edge;
      edge.a = key(ends.first);
      edge.b = frame->id;
      fill(edge, bundle);
      const double x = card->at.x + 14;
      if (frame->at.y >= card->at.y) continue;
      edge.bends = {{x, card->at.y}, {x, frame->at.y + 46}};
      edge.label = {kind_ == LinkKind::c2c ? std::string("C2C") : std::string(row(kind_).word)};  // how much stands on the card
      edge.label_at = {x + 4, card->at.y - 12};
      picture_.edges.push_back(std::move(edge));
    }
  }

  Table matrix() const {
    Table table;
    table.id = std::string(row(kind_).name);
    table.title = fmt::format("{} between GPUs", row(kind_).word);
    table.note = counts_known() ? "Links, and GB/s of each in each direction." : "GB/s each direction.";
    table.matrix = true;
    table.columns.emplace_back("");
    for (const Anchor& it : anchors_) table.columns.push_back(it.name);
    for (std::size_t i = 0; i < anchors_.size(); ++i) {
      std::vector<Cell> cells{{anchors_[i].name, false, false}};
      for (std::size_t j = 0; j < anchors_.size(); ++j) {
        const auto found = pairs_.find(std::minmax(i, j));
        if (i == j)
          cells.push_back({"\u00b7", false, true});
        else if (found == pairs_.end())
          cells.push_back({"\u2013", false, true});
        else
          cells.push_back({words(found->second), found->second.warning, false});
      }
      table.rows.push_back(std::move(cells));
    }
    return table;
  }

  Picture& picture_;
  const Index& index_;
  const Marks& marks_;
  LinkKind kind_;
  std::vector<Anchor> anchors_;
  std::map<std::size_t, std::size_t> numbers_;
  std::map<std::pair<std::size_t, std::size_t>, Bundle> pairs_;
  std::map<std::size_t, Bundle> to_switches_;
  std::map<std::pair<std::size_t, std::size_t>, Bundle> to_others_;
  std::map<std::size_t, std::size_t> switches_;
  std::vector<std::uint32_t> trunks_;
};

}  // namespace

double add_bands(Picture& picture, const Index& index, const Marks& marks, const std::vector<Anchor>& anchors, bool several_rows,
                 double left, double right, double bottom) {
  if (anchors.empty()) return bottom;
  double end = bottom;
  for (const LinkKind kind : {LinkKind::nvlink, LinkKind::xgmi, LinkKind::c2c}) {
    Band band(picture, index, marks, kind, anchors);
    if (!band.empty()) end = band.draw(left, right, end, several_rows || end > bottom);
  }
  return end;
}

}  // namespace railgauge::topo::layout

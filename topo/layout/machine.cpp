#include "topo/layout/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "topo/layout/facts.hpp"
#include "topo/layout/machine_words.hpp"
#include "topo/layout/measure.hpp"
#include "topo/layout/processor_links.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr double card_height = 90, folded_width = 62, bar_height = 24;
constexpr double between_cards = 8, between_bars = 14, between_frames = 18, between_levels = 40;
constexpr double padding = 14, heading = 50, others_height = 15, narrowest_frame = 260, narrowest_bare_frame = 150;  // of frames
constexpr double widest_row = 1900;

class Machine {
 public:
  Machine(Picture& picture, const Index& index, const Marks& marks, std::size_t machine)
      : picture_(picture),
        index_(index),
        marks_(marks),
        tree_(place_of(index, machine)),
        words_(index, marks.view(), tree_),
        levels_(deepest(tree_)),
        lift_(levels_ == 0 && has_paths_up(tree_) ? between_levels : 0) {
    find_others(tree_);
  }

  double draw(double top) {
    const Size size = measure(tree_);
    place(tree_, 0, top, size);
    draw_processor_links();
    picture_.width = std::max(picture_.width, size.width);
    const double bottom = top + size.height;
    return add_bands(picture_, index_, marks_, anchors_, rows_ > 1, 0, size.width, bottom);
  }

 private:
  struct Size {
    double width = 0, height = 0;
  };

  // ---- sizes
  // All frames of a kind leave room for the line, so that their rows stand level.
  void find_others(const Place& place) {
    if (!words_of_others(place).empty()) others_at_.insert(index_.node(place.node).kind);
    for (const Place& it : place.inside) find_others(it);
  }
  static bool has_paths_up(const Place& place) {
    return std::any_of(place.items.begin(), place.items.end(), [](const Item& it) { return !it.path_up.empty(); }) ||
           std::any_of(place.inside.begin(), place.inside.end(), [](const Place& it) { return has_paths_up(it); });
  }
  static std::size_t deepest(const std::vector<Item>& items) {
    std::size_t levels = 0;
    for (const Item& item : items)
      if (item.form == Item::Form::bar) levels = std::max(levels, 1 + deepest(item.below));
    return levels;
  }
  static std::size_t deepest(const Place& place) {
    std::size_t levels = deepest(place.items);
    for (const Place& it : place.inside) levels = std::max(levels, deepest(it));
    return levels;
  }

  double measure(Item& item) const {
    if (item.form == Item::Form::folded) return item.width = folded_width;
    if (item.form == Item::Form::device) return item.width = card_width;
    item.width = measure(item.below);
    return item.width = std::max(item.width, card_width);
  }
  double measure(std::vector<Item>& items) const {
    double width = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) width += items[i].form == Item::Form::bar || items[i - 1].form == Item::Form::bar ? between_bars : between_cards;
      width += measure(items[i]);
    }
    return width;
  }

  bool bare(const Place& place) const { return place.items.empty() && place.inside.empty(); }
  double items_height() const { return static_cast<double>(levels_) * (bar_height + between_levels) + lift_ + card_height; }

  // Of what is inside, in rows; the own items of a place stand below them.
  Size measure(Place& place) {
    Size inside;
    double x = 0;
    double row = 0;
    for (Place& it : place.inside) {
      const Size one = measure(it);
      if (x > 0 && x + between_frames + one.width > widest_row) {
        inside.height += row + between_frames;
        x = row = 0;
      }
      x += (x > 0 ? between_frames : 0) + one.width;
      inside.width = std::max(inside.width, x);
      row = std::max(row, one.height);
    }
    inside.height += row;
    const bool top = index_.node(place.node).kind == Kind::machine;
    Size size;
    double width = measure(place.items);
    if (!place.items.empty()) size.height += items_height() + 6;
    width = std::max(width, inside.width);
    if (top ? !words_of_others(place).empty() : others_at_.contains(index_.node(place.node).kind)) size.height += others_height;
    if (!place.inside.empty()) size.height += inside.height + (place.items.empty() ? 0 : between_frames);
    const double least = place.inside.empty() && place.items.empty() ? narrowest_bare_frame : narrowest_frame;
    size.width = std::max(width, least) + (top ? 0 : 2 * padding);
    size.height += top ? 0 : heading + padding;
    return sizes_[place.node] = size;
  }

  // ---- places
  void place(const Place& it, double x, double y, Size size) {
    const Node& node = index_.node(it.node);
    double left = x;
    double top = y;
    if (node.kind != Kind::machine) {
      const std::string others = words_of_others(it);
      frame(node, x, y, size, others);
      left += padding;
      top += heading + (others_at_.contains(node.kind) ? others_height : 0);
    }
    double across = left;
    double row = 0;
    for (const Place& inside : it.inside) {
      const Size one = sizes_[inside.node];
      if (across > left && across - left + one.width > widest_row) {
        top += row + between_frames;
        across = left;
        row = 0;
        ++rows_;
      }
      place(inside, across, top, one);
      across += one.width + between_frames;
      row = std::max(row, one.height);
    }
    top += row;
    if (!it.items.empty()) {
      if (!it.inside.empty()) top += between_frames;
      const double width = std::accumulate(it.items.begin(), it.items.end(), -between_bars,
                                           [](double sum, const Item& item) { return sum + item.width + between_bars; });
      const double room = size.width - (node.kind == Kind::machine ? 0 : 2 * padding);
      items(it.items, node.key, left + std::max(0.0, (room - width) / 2), top, 0);
      top += items_height() + 6;
    }
    if (const std::string others = words_of_others(it); !others.empty() && node.kind == Kind::machine) {
      Box note;
      note.id = node.key + " others";
      note.role = Role::note;
      note.at = {left, top};
      note.width = size.width;
      note.height = others_height;
      note.lines = {fitted("elsewhere: " + others, note.width, line_size)};
      note.facts = {{"not drawn", others}};
      picture_.boxes.push_back(std::move(note));
    }
  }

  void frame(const Node& node, double x, double y, Size size, const std::string& others) {
    Box box;
    box.id = node.key;
    box.role = Role::frame;
    box.kind = node.kind;
    box.at = {x, y};
    box.width = size.width;
    box.height = size.height;
    const Attributes& it = node.attributes;
    std::string first = node.name;
    if (node.kind == Kind::package) {
      const std::size_t digits = node.key.find_last_not_of("0123456789");
      first = fmt::format("Package {}: {}", node.key.substr(digits + 1), node.name);
    }
    std::vector<std::string> parts;
    if (const auto bytes = number_of(it, "memory_bytes"))
      parts.push_back(fmt::format("{} {}", rounded_bytes(bytes), text_of(it, "memory_kind")));
    if (const auto cores = number_of(it, "cores")) parts.push_back(counted(cores, "core", "cores"));
    if (const auto bytes = number_of(it, "l3_bytes")) parts.push_back("L3 " + rounded_bytes(bytes));
    if (const auto threads = text_of(it, "thread_list"); !threads.empty()) parts.push_back(fmt::format("threads {}", threads));
    if (node.kind == Kind::numa && number_of(it, "cores") == 0 && text_of(it, "thread_list").empty() &&
        it.contains("memory_bytes"))
      parts.emplace_back("no cores");
    std::string second;
    for (const std::string& part : parts) second += (second.empty() ? "" : ", ") + part.substr(0, part.find_last_not_of(' ') + 1);
    box.lines = {fitted(first, size.width - 2 * padding, title_size, true), fitted(second, size.width - 2 * padding, line_size)};
    box.facts = facts_of(node);
    if (!others.empty()) {
      box.lines.push_back(fitted("and " + others, size.width - 2 * padding, line_size));
      box.facts.push_back({"not drawn", others});
    }
    picture_.boxes.push_back(std::move(box));
  }

  void items(const std::vector<Item>& all, const std::string& above, double x, double y, std::size_t level) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Item& item = all[i];
      if (i > 0) x += item.form == Item::Form::bar || all[i - 1].form == Item::Form::bar ? between_bars : between_cards;
      const double step = bar_height + between_levels;
      if (item.form == Item::Form::bar) {
        bar(item, x, y);
        add_path_up(item, above, x + item.width / 2, level == 0 ? y : y - between_levels, y);
        const double inner =
            std::accumulate(item.below.begin(), item.below.end(), 0.0, [](double sum, const Item& it) { return sum + it.width; });
        const double gaps = gaps_of(item.below);
        items(item.below, index_.node(item.node).key, x + std::max(0.0, (item.width - inner - gaps) / 2), y + step, level + 1);
      } else {
        const double down = y + static_cast<double>(levels_ - level) * step + lift_;
        if (item.form == Item::Form::folded)
          folded(item, above, x, down);
        else
          card(item, x, down);
        add_path_up(item, above, x + item.width / 2, level == 0 ? y : y - between_levels, down);
      }
      x += item.width;
    }
  }

  static double gaps_of(const std::vector<Item>& items) {
    double gaps = 0;
    for (std::size_t i = 1; i < items.size(); ++i)
      gaps += items[i].form == Item::Form::bar || items[i - 1].form == Item::Form::bar ? between_bars : between_cards;
    return gaps;
  }

  void bar(const Item& item, double x, double y) {
    const Node& node = index_.node(item.node);
    Box box;
    box.id = node.key;
    box.role = Role::bar;
    box.kind = node.kind;
    box.at = {x, y};
    box.width = item.width;
    box.height = bar_height;
    const std::string address = node.key.substr(node.key.find('/') + 1);
    std::string text = node.kind == Kind::pci_root ? node.name : fmt::format("PCIe switch {}", address);
    if (text_width(text, line_size) > item.width - 8)
      text = node.kind == Kind::pci_root && address.starts_with("pci") ? "root " + address.substr(3) : address;
    box.lines = {fitted(text, item.width - 8, line_size)};
    box.facts = facts_of(node);
    picture_.boxes.push_back(std::move(box));
  }

  void card(const Item& item, double x, double y) {
    const Node& node = index_.node(item.node);
    Box box;
    box.id = node.key;
    box.kind = node.kind;
    box.at = {x, y};
    box.width = item.width;
    box.height = card_height;
    box.lines = words_.lines_of(item);
    box.count = item.alike.size() + 1;
    box.facts = facts_of(node);
    if (const std::string rail = words_.rail_of(item.node); !rail.empty()) {
      box.badge = "rail " + rail;
      box.facts.insert(box.facts.begin() + 1, Fact{"rail", rail});
    }
    box.warning = marks_.node(item.node);
    for (const Finding* finding : marks_.of(item.node)) box.facts.push_back(fact_of(*finding));
    std::string near;
    for (const std::size_t other : item.near) near += (near.empty() ? "" : ", ") + words_.name_of(other);
    if (!near.empty()) box.facts.push_back({node.kind == Kind::gpu ? "nearest NICs" : "nearest GPUs", near});
    Members members;
    for (const std::size_t other : item.alike) members.names.push_back(words_.name_of(other) + " " + index_.node(other).key);
    members.names.push_back(words_.name_of(item.node));
    for (const std::uint32_t child : index_.children(item.node)) {
      members.names.push_back(index_.node(child).name);
      if (const auto state = text_of(index_.node(child).attributes, "state"); !state.empty()) {
        box.facts.push_back({index_.node(child).name, std::string(state)});
      }
    }
    box.members.push_back(std::move(members));
    if (node.kind == Kind::gpu) anchors_.push_back({item.node, words_.name_of(item.node), x, item.width, y + card_height});
    picture_.boxes.push_back(std::move(box));
  }

  void folded(const Item& item, const std::string& above, double x, double y) {
    Box box;
    box.id = above + " disks";
    box.role = Role::folded;
    box.kind = Kind::storage;
    box.at = {x, y};
    box.width = item.width;
    box.height = card_height;
    box.count = item.alike.size();
    box.lines = {fmt::format("{}", item.alike.size()), std::string(item.alike.size() == 1 ? "disk" : "disks")};
    picture_.boxes.push_back(std::move(box));
  }

  // The PCIe links up to the bar above as one line: as narrow as the narrowest.
  void add_path_up(const Item& item, const std::string& above, double x, double from, double to) {
    if (item.form == Item::Form::folded && item.path_up.empty()) {
      Edge plain;
      plain.a = above;
      plain.b = above + " disks";
      plain.kind = LinkKind::pcie;
      plain.bends = {{x, from}, {x, to}};
      picture_.edges.push_back(std::move(plain));
      return;
    }
    if (item.path_up.empty()) return;
    Edge edge;
    edge.a = above;
    edge.b = index_.node(item.node).key;
    edge.kind = LinkKind::pcie;
    edge.links = item.path_up;
    double least = 0;
    const Link* slowest = nullptr;
    for (const std::uint32_t at : item.path_up) {
      const Link& link = index_.graph.links[at];
      if (marks_.link(at)) {
        edge.warning = true;
        slowest = &link;
      }
      edge.low = edge.low || link.state == LinkState::low;
      const double rate = link.bandwidth.nominal;
      if (rate > 0 && (least == 0 || rate < least)) least = rate;
    }
    const Link& link = slowest != nullptr ? *slowest : index_.graph.links[item.path_up.back()];
    const std::string runs = rate_words(LinkKind::pcie, link.active);
    const std::string can = rate_words(LinkKind::pcie, link.capable);
    const std::string rate = least > 0 ? gigabytes(least) + " GB/s" : "";
    if (edge.warning && runs != can)
      edge.label = {runs, "of " + can};
    else if (edge.low)
      edge.label = {runs.empty() ? rate : runs, "low now"};
    else
      edge.label = {runs.empty() ? can : runs, rate};
    std::erase(edge.label, "");
    edge.weight = weight_of(least);
    edge.facts = facts_of(link);
    if (item.path_up.size() > 1) {
      std::string chain;
      for (const std::uint32_t at : item.path_up) chain += (chain.empty() ? "" : " > ") + index_.graph.links[at].b;
      edge.facts.push_back({"passes", chain});
    }
    edge.bends = {{x, from}, {x, to}};
    edge.label_at = {x + 5, to - between_levels / 2 + (edge.label.size() > 1 ? -3.0 : 3.0)};
    if (from < to) picture_.edges.push_back(std::move(edge));
  }

  // Between frames of packages.
  void draw_processor_links() {
    for (std::uint32_t i = 0; i < index_.graph.links.size(); ++i) {
      const Link& link = index_.graph.links[i];
      if (link.kind != LinkKind::cpu) continue;
      const auto find = [&](const std::string& key) {
        return std::find_if(picture_.boxes.begin(), picture_.boxes.end(),
                            [&](const Box& box) { return box.id == key && box.role == Role::frame; });
      };
      auto a = find(link.a);
      auto b = find(link.b);
      if (a == picture_.boxes.end() || b == picture_.boxes.end()) continue;
      if (a->at.x > b->at.x) std::swap(a, b);
      Edge edge;
      edge.a = link.a;
      edge.b = link.b;
      edge.kind = link.kind;
      edge.links.push_back(i);
      edge.weight = weight_of(link.bandwidth.nominal);
      edge.warning = marks_.link(i);
      edge.facts = facts_of(link);
      edge.bends = between_packages(*a, *b, 2 * between_frames);
      picture_.edges.push_back(std::move(edge));
    }
  }

  Picture& picture_;
  const Index& index_;
  const Marks& marks_;
  Place tree_;
  MachineWords words_;
  std::map<std::size_t, Size> sizes_;
  std::vector<Anchor> anchors_;
  std::size_t levels_ = 0;
  double lift_ = 0;  // where no bars are known: room for the links of devices that hang on the processor
  std::size_t rows_ = 1;
  std::set<Kind> others_at_;  // frames of these kinds have a line for what is not drawn
};

}  // namespace

double add_machine(Picture& picture, const Index& index, const Marks& marks, std::size_t machine, double top) {
  return Machine(picture, index, marks, machine).draw(top);
}

}  // namespace railgauge::topo::layout

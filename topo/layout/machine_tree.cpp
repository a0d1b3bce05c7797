// Chooses what of a machine is drawn: GPUs, NICs, accelerators, and the bars that they hang on. The rest is counted.
#include "topo/layout/machine_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr std::size_t most_alike = 4;  // more equal NICs in a row are one card
constexpr int deepest = 64;            // bridges below bridges; what is deeper is not drawn

bool is_bridge(Kind kind) { return kind == Kind::pci_root || kind == Kind::pci_bridge || kind == Kind::pci_switch; }
bool is_drawn(Kind kind) { return kind == Kind::gpu || kind == Kind::nic || kind == Kind::accelerator; }
bool is_place(Kind kind) { return kind == Kind::machine || kind == Kind::package || kind == Kind::numa; }

// A controller without a disk carries nothing.
bool is_disk(const Node& node) {
  return node.kind == Kind::storage &&
         (node.attributes.find("blocks") != node.attributes.end() || text_of(node.attributes, "pci_class") == "0108");
}

class Tree {
 public:
  explicit Tree(const Index& index) : index_(index), drawn_(index.graph.nodes.size()), up_(index.graph.nodes.size(), none) {
    for (std::size_t i = index.graph.nodes.size(); i-- > 0;) {  // children stand behind their parents
      drawn_[i] += is_drawn(index.node(i).kind) ? 1U : 0U;
      if (index.parents[i] != Index::none) drawn_[index.parents[i]] += drawn_[i];
    }
    for (std::uint32_t i = 0; i < index.graph.links.size(); ++i) {
      const Link& link = index.graph.links[i];
      if (link.kind != LinkKind::pcie) continue;
      const std::size_t below = index.find(link.b);
      if (below != Index::none && index.parents[below] == index.find(link.a)) up_[below] = i;
    }
  }

  Place place(std::size_t node, int depth) {
    Place place;
    place.node = node;
    for (const std::uint32_t child : index_.children(node)) {
      if (is_place(index_.node(child).kind) && depth < deepest)
        place.inside.push_back(this->place(child, depth + 1));
      else
        add(child, {}, place.items, place, depth);
    }
    tidy(place.items);
    for (Item& item : place.items) meet(item);
    return place;
  }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  // Puts what is drawn of `node` and below to `items`, and counts the rest in `place`.
  void add(std::size_t node, std::vector<std::uint32_t> path_up, std::vector<Item>& items, Place& place, int depth) {
    const Kind kind = index_.node(node).kind;
    if (up_[node] != none) path_up.push_back(up_[node]);
    if (depth >= deepest || (is_bridge(kind) && drawn_[node] == 0)) {
      count(node, place, depth);
      return;
    }
    if (is_drawn(kind)) {
      Item item;
      item.node = node;
      item.path_up = std::move(path_up);
      items.push_back(std::move(item));
      return;
    }
    if (!is_bridge(kind)) {
      count(node, place, depth);
      return;
    }
    if (kind != Kind::pci_root && !parts(node)) {
      for (const std::uint32_t child : index_.children(node)) {
        const bool carries = drawn_[child] != 0;
        add(child, carries ? path_up : std::vector<std::uint32_t>(), items, place, depth + 1);
      }
      return;
    }
    Item bar;
    bar.form = Item::Form::bar;
    bar.node = node;
    bar.path_up = std::move(path_up);
    Place here;  // disks of a switch stand below it
    for (const std::uint32_t child : index_.children(node)) add(child, {}, bar.below, here, depth + 1);
    for (const auto& [word, number] : here.others) place.others[word] += number;
    tidy(bar.below);
    if (kind == Kind::pci_root) {
      place.disks += here.disks;
    } else if (here.disks != 0) {
      Item folded;
      folded.form = Item::Form::folded;
      folded.alike.resize(here.disks, Index::none);
      bar.below.push_back(std::move(folded));
    }
    items.push_back(std::move(bar));
  }

  // Whether the paths to two devices part here. All devices on a bridge's own bus share its link: functions of one.
  bool parts(std::size_t bridge) const {
    std::size_t branches = 0;
    bool own_bus = false;
    for (const std::uint32_t child : index_.children(bridge)) {
      if (drawn_[child] == 0) continue;
      if (is_bridge(index_.node(child).kind))
        ++branches;
      else
        own_bus = true;
    }
    return branches + (own_bus ? 1 : 0) > 1;
  }

  void count(std::size_t node, Place& place, int depth) {
    const Node& it = index_.node(node);
    if (is_disk(it)) {
      ++place.disks;
    } else if (!is_bridge(it.kind) && it.kind != Kind::port && it.kind != Kind::nvswitch && it.kind != Kind::partition) {
      const std::string_view word = text_of(it.attributes, "pci_class_name");
      ++place.others[std::string(word.empty() ? row(it.kind).word : word)];
    }
    if (depth < 4 * deepest)
      for (const std::uint32_t child : index_.children(node)) count(child, place, depth + 1);
  }

  int rank(const Item& item) const {
    if (item.form == Item::Form::folded) return 9;
    if (item.form == Item::Form::device) return static_cast<int>(index_.node(item.node).kind);
    int best = 8;
    for (const Item& it : item.below) best = std::min(best, rank(it));
    return best;
  }

  bool alike(const Item& a, const Item& b) const {
    if (a.form != Item::Form::device || b.form != Item::Form::device) return false;
    const Node& x = index_.node(a.node);
    const Node& y = index_.node(b.node);
    return x.kind == Kind::nic && y.kind == Kind::nic && index_.children(a.node).empty() && index_.children(b.node).empty() &&
           x.name == y.name && text_of(x.attributes, "pci_id") == text_of(y.attributes, "pci_id");
  }

  // GPUs first; many equal NICs in a row become one.
  void tidy(std::vector<Item>& items) const {
    std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return rank(a) < rank(b); });
    std::vector<Item> kept;
    for (std::size_t i = 0; i < items.size();) {
      std::size_t end = i + 1;
      while (end < items.size() && alike(items[i], items[end])) ++end;
      if (end - i <= most_alike) end = i + 1;
      for (std::size_t k = i + 1; k < end; ++k) items[i].alike.push_back(items[k].node);
      kept.push_back(std::move(items[i]));
      i = end;
    }
    items = std::move(kept);
  }

  // Gives the GPUs below their nearest NICs, and NICs their GPUs. Returns what still looks for the other.
  struct Devices {
    std::vector<Item*> gpus, nics;
  };
  Devices meet(Item& item) const {
    Devices open;
    if (item.form == Item::Form::device) {
      const Kind kind = index_.node(item.node).kind;
      if (kind == Kind::gpu) open.gpus.push_back(&item);
      if (kind == Kind::nic && item.alike.empty()) open.nics.push_back(&item);
      return open;
    }
    for (Item& below : item.below) {
      Devices more = meet(below);
      open.gpus.insert(open.gpus.end(), more.gpus.begin(), more.gpus.end());
      open.nics.insert(open.nics.end(), more.nics.begin(), more.nics.end());
    }
    if (open.gpus.empty() || open.nics.empty()) return open;
    const bool pairs = open.gpus.size() == open.nics.size();
    for (std::size_t i = 0; i < open.gpus.size(); ++i)
      for (std::size_t j = 0; j < open.nics.size(); ++j)
        if (!pairs || i == j) {
          open.gpus[i]->near.push_back(open.nics[j]->node);
          open.nics[j]->near.push_back(open.gpus[i]->node);
        }
    return {};
  }

  const Index& index_;
  std::vector<std::uint32_t> drawn_;  // devices that are drawn, of each node and below
  std::vector<std::uint32_t> up_;     // each node's PCIe link to its parent
};

}  // namespace

Index::Index(const Graph& of) : graph(of), parents(of.nodes.size(), none), children_(of.nodes.size()) {
  places_.reserve(of.nodes.size());
  for (std::size_t i = 0; i < of.nodes.size(); ++i) {
    places_.try_emplace(of.nodes[i].key, i);
    if (of.nodes[i].parent.empty()) continue;
    const auto parent = places_.find(of.nodes[i].parent);  // stands before it, or is none: no cycles
    if (parent == places_.end() || parent->second == i) continue;
    parents[i] = parent->second;
    children_[parent->second].push_back(static_cast<std::uint32_t>(i));
  }
}

std::size_t Index::find(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? none : found->second;
}

Place place_of(const Index& index, std::size_t machine) { return Tree(index).place(machine, 0); }

std::string words_of_others(const Place& place) {
  std::string text;
  if (place.disks != 0) text = counted(place.disks, Kind::storage);
  for (const auto& [word, count] : place.others)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", count == 1 ? word : fmt::format("{} \u00d7 {}", count, word));
  return text;
}

}  // namespace railgauge::topo::layout

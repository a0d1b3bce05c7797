// Draws a graph as a tree for people: what carries traffic first, what does not folded into counts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topo/draw/draw.hpp"
#include "topo/draw/fabric.hpp"
#include "topo/draw/matrix.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t most_alike = 8;    // more equal devices in a row than this are one line
constexpr std::size_t widest_name = 44;  // characters; a longer name is cut

// Order of devices in the drawing; kinds that are not here are folded.
constexpr auto order =
    std::to_array<Kind>({Kind::gpu, Kind::nvswitch, Kind::nic, Kind::accelerator, Kind::storage, Kind::display});
constexpr std::size_t folded = order.size();

struct Line {
  std::size_t indent = 0;
  std::string head;  // address
  std::string kind, name, speed, tail;
  bool columns = false;  // else only the head is used
};

class Tree {
 public:
  explicit Tree(const Graph& graph) : graph_(graph) {
    for (const Node& node : graph.nodes) children_[node.parent].push_back(&node);
    for (const Link& link : graph.links)
      if (link.kind == LinkKind::pcie) speeds_[link.b] = link.bandwidth.nominal;
    // Children stand behind their parents, so that one walk from the end knows each subtree.
    for (const Node& node : graph.nodes | std::views::reverse) {
      std::size_t& rank = ranks_.try_emplace(node.key, folded).first->second;
      rank = std::min(rank, own_rank(node));
      std::size_t& above = ranks_.try_emplace(node.parent, folded).first->second;
      above = std::min(above, rank);
    }
  }

  std::string draw() {
    // In a fabric there are too many hosts of which nothing is known to name them all.
    const bool fabric =
        std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [](const Node& it) { return it.kind == Kind::fabric_switch; });
    for (const Node* node : children_[""])
      if (!fabric || !is_of_fabric_alone(*node)) holder(*node, 0);
    return aligned();
  }

 private:
  static std::size_t own_rank(const Node& node) {
    // A controller without a disk carries nothing.
    if (node.kind == Kind::storage && node.attributes.find("blocks") == node.attributes.end() &&
        text_of(node.attributes, "pci_class") != "0108")
      return folded;
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), node.kind) - order.begin());
  }

  std::size_t rank(const Node& node) const { return ranks_.at(node.key); }

  const std::vector<const Node*>& children(const Node& node) { return children_[node.key]; }

  // ---- machine, packages, NUMA nodes
  static std::string processors(const Attributes& attributes) {
    std::string text;
    if (const auto cores = number_of(attributes, "cores")) text += counted(cores, "core", "cores") + ", ";
    return text + counted(number_of(attributes, "threads"), "thread", "threads");
  }

  static std::string caches(const Attributes& attributes) {
    std::string text;
    for (const std::string level : {"l3", "l2"}) {
      const auto count = number_of(attributes, level + "_caches");
      const auto all = number_of(attributes, level + "_bytes");
      const auto largest = number_of(attributes, level + "_largest_bytes");
      if (count == 0 || all == 0) continue;
      text += text.empty() ? "; " : ", ";
      text += static_cast<char>(level[0] - 'a' + 'A');
      text += level[1];
      if (count == 1)
        text += fmt::format(" {}", rounded_bytes(all));
      else if (largest * count == all)
        text += fmt::format(" {} x {}", count, rounded_bytes(largest));
      else
        text += fmt::format(" {} in {}", rounded_bytes(all), count);
    }
    return text;
  }

  static std::string without_package(const Attributes& attributes) {
    return processors({{"cores", number_of(attributes, "cores_without_package")},
                       {"threads", number_of(attributes, "threads_without_package")}});
  }

  void whole(std::size_t indent, const std::string& text) {
    Line line;
    line.indent = indent;
    line.head = printable(text);
    lines_.push_back(std::move(line));
  }

  std::string title(const Node& node) const {
    const Attributes& it = node.attributes;
    if (node.kind == Kind::package)
      return fmt::format("Package {}: {}, {}{}", number_in_key(node, "package"), node.name, processors(it), caches(it));
    if (node.kind != Kind::numa) return node.name;
    const std::string memory = number_of(it, "memory_bytes") ? rounded_bytes(number_of(it, "memory_bytes")) : "no memory";
    const std::string_view threads = text_of(it, "thread_list");
    const std::string_view kind = text_of(it, "memory_kind");
    const Provenance& said = node.provenance;  // other sources know that there is such a node, and no more
    if (std::find(said.begin(), said.end(), "hwloc") == said.end()) return fmt::format("NUMA {}", number_in_key(node, "numa"));
    return fmt::format("NUMA {}: {}{}{}{}", number_in_key(node, "numa"), memory, kind.empty() ? "" : " of ", kind,
                       threads.empty() ? ", no processors" : fmt::format(", threads {}", threads));
  }

  void machine(const Node& node) {
    const Attributes& it = node.attributes;
    std::string first = node.name;
    std::string system;
    for (const char* name : {"os", "kernel"})
      if (const auto text = text_of(it, name); !text.empty()) system += fmt::format("{}{}", system.empty() ? "" : " ", text);
    const std::string product = fmt::format("{} {}", text_of(it, "maker"), text_of(it, "product"));
    const char* between = ": ";
    for (const std::string_view text : {std::string_view(product), std::string_view(system), text_of(it, "architecture")})
      if (text.find_first_not_of(' ') != std::string_view::npos) {
        first += fmt::format("{}{}", std::exchange(between, ", "), text.substr(text.find_first_not_of(' ')));
      }
    whole(0, first);
    std::map<Kind, std::uint64_t> count;
    count_below(node, count);
    std::string second;
    if (count[Kind::package] != 0)
      second = counted(count[Kind::package], Kind::package) + ", ";
    else if (const auto model = text_of(it, "cpu_model"); !model.empty())
      second = fmt::format("{}, ", model);
    second += processors(it) + caches(it);
    if (const auto bytes = number_of(it, "memory_bytes"))
      second += fmt::format(", {} in {}", rounded_bytes(bytes), counted(count[Kind::numa], Kind::numa));
    if (number_of(it, "threads") != 0 || !second.starts_with("0 threads")) whole(0, second);
    std::string third;
    for (const Kind kind : order)
      if (kind != Kind::display && count[kind] != 0) {
        third += fmt::format("{}{}", third.empty() ? "" : ", ", counted(count[kind], kind));
        if (kind == Kind::nic && count[Kind::port] != 0) third += fmt::format(" ({})", counted(count[Kind::port], Kind::port));
      }
    whole(0, third.empty() ? "no GPU, NIC or storage device was found" : third);
  }

  void count_below(const Node& top, std::map<Kind, std::uint64_t>& count) {
    std::vector<const Node*> open{&top};
    while (!open.empty()) {
      const Node& node = *open.back();
      open.pop_back();
      if (node.kind != Kind::storage || own_rank(node) != folded) ++count[node.kind];
      const auto& below = children(node);
      open.insert(open.end(), below.begin(), below.end());
    }
  }

  void holder(const Node& node, std::size_t indent) {
    if (node.kind == Kind::machine)
      machine(node);
    else
      whole(indent++, title(node));
    std::vector<const Node*> devices;
    std::vector<const Node*> holders;
    for (const Node* it : children(node)) (it->kind == Kind::package || it->kind == Kind::numa ? holders : devices).push_back(it);
    for (const Node* it : holders) holder(*it, indent);
    if (node.attributes.contains("threads_without_package")) whole(indent, "In no package: " + without_package(node.attributes));
    draw_devices(devices, indent);
  }

  // ---- PCIe
  // Counts of folded devices by what they are.
  using Others = std::map<std::string, std::uint64_t>;

  void draw_devices(std::vector<const Node*> nodes, std::size_t indent) {
    Others others;
    std::uint64_t roots = 0;
    std::vector<const Node*> plain;
    std::stable_sort(nodes.begin(), nodes.end(), [&](const Node* a, const Node* b) { return rank(*a) < rank(*b); });
    for (const Node* node : nodes) {
      if (node->kind != Kind::pci_root) {
        plain.push_back(node);
      } else if (rank(*node) == folded) {
        fold(*node, others);
        ++roots;
      } else {
        whole(indent, node->name);
        Others here;
        below(*node, indent + 1, here);
        draw_others(here, indent + 1, "");
      }
    }
    below(plain, indent, others);
    draw_others(others, indent, roots == 0 ? "" : counted(roots, "other PCIe root", "other PCIe roots"));
  }

  void draw_others(const Others& others, std::size_t indent, const std::string& where) {
    std::uint64_t all = 0;
    std::string text;
    for (const auto& [word, count] : others) {
      all += count;
      join(text, count == 1 ? word : fmt::format("{} x {}", word, count));
    }
    if (all != 0) whole(indent, fmt::format("and {}: {}", where.empty() ? counted(all, "other", "others") : where, text));
  }

  static bool is_bridge(const Node& node) { return node.kind == Kind::pci_bridge || node.kind == Kind::pci_switch; }

  void fold(const Node& node, Others& others) {
    if (!is_bridge(node) && node.kind != Kind::pci_root && node.kind != Kind::port) {
      const std::string_view word = text_of(node.attributes, "pci_class_name");
      ++others[std::string(word.empty() ? "unclassified" : word)];
    }
    for (const Node* it : children(node)) fold(*it, others);
  }

  // A bridge is worth a line where the paths to two devices part. All devices on its own bus share its link: functions of one.
  bool parts(const Node& bridge) {
    std::size_t branches = 0;
    bool own_bus = false;
    for (const Node* it : children(bridge)) {
      if (rank(*it) == folded) continue;
      if (is_bridge(*it))
        ++branches;
      else
        own_bus = true;
    }
    return branches + (own_bus ? 1 : 0) > 1;
  }

  void below(const Node& node, std::size_t indent, Others& others) { below(children(node), indent, others); }

  // Puts to `shown` what gets a line of its own: devices, and bridges where paths part, in the place of bridges where they do
  // not.
  void choose(const std::vector<const Node*>& nodes, std::vector<const Node*>& shown, Others& others) {
    for (const Node* node : nodes) {
      if (rank(*node) == folded)
        fold(*node, others);
      else if (is_bridge(*node) && !parts(*node))
        choose(children(*node), shown, others);
      else
        shown.push_back(node);
    }
  }

  void below(const std::vector<const Node*>& nodes, std::size_t indent, Others& others) {
    std::vector<const Node*> shown;
    choose(nodes, shown, others);
    std::stable_sort(shown.begin(), shown.end(), [&](const Node* a, const Node* b) { return rank(*a) < rank(*b); });
    for (std::size_t i = 0; i < shown.size();) {
      const Node& node = *shown[i];
      std::size_t alike = 1;
      while (i + alike < shown.size() && equal(node, *shown[i + alike])) ++alike;
      if (alike <= most_alike) alike = 1;
      columns(node, indent);
      if (alike > 1) fold_line(*shown[i + alike - 1], alike);
      if (is_bridge(node)) below(node, indent + 1, others);
      i += alike;
    }
  }

  // The last line stands for `count` devices alike, up to `last`.
  void fold_line(const Node& last, std::size_t count) {
    Line& line = lines_.back();
    line.name = fmt::format("{} x {}", count, line.name);
    const std::string end = printable(tail(last));
    if (!end.empty()) line.tail += " .. " + end;
    line.head += " ..";
  }

  bool equal(const Node& a, const Node& b) {
    return !is_bridge(a) && a.kind == b.kind && a.kind != Kind::gpu &&
           text_of(a.attributes, "pci_id") == text_of(b.attributes, "pci_id") && speed(a) == speed(b) && children(a).empty() &&
           children(b).empty();
  }

  std::string speed(const Node& node) const {
    const auto at = speeds_.find(node.key);
    return at == speeds_.end() || at->second <= 0 ? std::string() : gigabytes(at->second) + " GB/s";
  }

  static void join(std::string& text, std::string_view more) {
    if (!more.empty()) text += fmt::format("{}{}", text.empty() ? "" : ", ", more);
  }

  // Names by which nobody calls a GPU in a command.
  static bool interesting(std::string_view name) {
    constexpr auto dull = std::to_array<std::string_view>({"card", "render", "control", "opencl", ":"});
    return std::none_of(dull.begin(), dull.end(), [&](std::string_view it) { return name.starts_with(it); });
  }

  std::string tail(const Node& node) {
    std::string text;
    const Attributes& it = node.attributes;
    if (const auto bytes = number_of(it, "memory_bytes")) join(text, rounded_bytes(bytes));
    for (const Node* port : children(node))
      if (port->kind == Kind::port) join(text, fmt::format("{} {}", port->name, text_of(port->attributes, "state")));
    if (children(node).empty())
      for (const std::string& name : list_of(it, "verbs")) join(text, name);
    for (const char* list : {"interfaces", "blocks"})
      for (const std::string& name : list_of(it, list))
        if (name != node.name) join(text, name);
    for (const std::string& name : list_of(it, "os_devices"))
      if (interesting(name)) join(text, name);
    if (const auto bytes = number_of(it, "size_bytes")) text += (text.empty() ? "" : " ") + rounded_bytes(bytes);
    return text;
  }

  void columns(const Node& node, std::size_t indent) {
    Line line;
    line.indent = indent;
    line.columns = true;
    line.head = short_key(node);
    line.kind = row(node.kind).word;
    line.name = printable(node.key.starts_with("os:") ? text_of(node.attributes, "model") : node.name);
    if (line.name.size() > widest_name) line.name = line.name.substr(0, widest_name - 3) + "...";
    line.speed = speed(node);
    line.tail = printable(tail(node));
    lines_.push_back(std::move(line));
  }

  std::string aligned() const {
    std::array<std::size_t, 4> width{};
    for (const Line& line : lines_)
      if (line.columns) {
        width[0] = std::max(width[0], 2 * line.indent + line.head.size());
        width[1] = std::max(width[1], line.kind.size());
        width[2] = std::max(width[2], line.name.size());
        width[3] = std::max(width[3], line.speed.size());
      }
    std::string text;
    for (const Line& line : lines_) {
      std::string row(2 * line.indent, ' ');
      row += line.head;
      if (line.columns) {
        row.resize(width[0], ' ');
        row += fmt::format("  {:{}}  {:{}}", line.kind, width[1], line.name, width[2]);
        if (width[3] != 0) row += fmt::format("  {:>{}}", line.speed, width[3]);
        if (!line.tail.empty()) row += "  " + line.tail;
      }
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + '\n';
    }
    return text;
  }

  const Graph& graph_;
  std::unordered_map<std::string, std::vector<const Node*>> children_;
  std::unordered_map<std::string, double> speeds_;
  std::unordered_map<std::string, std::size_t> ranks_;
  std::vector<Line> lines_;
};

}  // namespace

std::string to_text(const Graph& graph) {
  std::string text = Tree(graph).draw() + draw_fabric(graph) + draw_gpu_links(graph) + draw_distances(graph);
  const bool speeds = std::any_of(graph.links.begin(), graph.links.end(), [](const Link& it) {
    return it.bandwidth.nominal > 0 && it.kind != LinkKind::infiniband && it.kind != LinkKind::ethernet;
  });
  const bool by_hwloc = std::none_of(graph.links.begin(), graph.links.end(),
                                     [](const Link& link) { return link.kind == LinkKind::pcie && link.bandwidth.line > 0; });
  if (speeds)
    text += fmt::format("GB/s: nominal, each direction, as {} now (an idle GPU may rest at a low speed)\n",
                        by_hwloc ? "hwloc reads it" : "it is");
  return text;
}

}  // namespace railgauge::topo

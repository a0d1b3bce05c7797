// From PCI functions to a tree with links: which two functions are the ends of a link, what both can, and what they do now.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "topo/merge.hpp"
#include "topo/pci.hpp"
#include "topo/rates.hpp"
#include "topo/read/nodes.hpp"
#include "topo/read/pcie.hpp"

namespace railgauge::topo {
namespace {

constexpr std::uint16_t bridge_class = 0x0604;
constexpr std::size_t none = SIZE_MAX;

template <class Number>
Number lesser(Number a, Number b) {
  if (a == Number{}) return b;
  return b == Number{} ? a : std::min(a, b);
}

bool known(const Rate& rate) { return rate.width != 0 || rate.speed > 0; }

std::string words(const Rate& rate) {
  return fmt::format("{}{}{}", rate.speed > 0 ? fmt::format("{:g} GT/s", rate.speed) : "",
                     rate.speed > 0 && rate.width != 0 ? " x" : "",
                     rate.width != 0 ? fmt::format("{}{}", rate.speed > 0 ? "" : "x", rate.width) : "");
}

class Tree {
 public:
  Tree(std::vector<PcieFunction> functions, std::string source) : functions_(std::move(functions)), source_(std::move(source)) {
    const auto order = [](const PcieFunction& it) {
      return std::pair<std::size_t, std::string_view>(it.address.size(), it.address);
    };
    std::stable_sort(functions_.begin(), functions_.end(),
                     [&](const PcieFunction& a, const PcieFunction& b) { return order(a) < order(b); });
    // Of several that give one address the first counts.
    const auto same = [](const PcieFunction& a, const PcieFunction& b) { return a.address == b.address; };
    functions_.erase(std::unique(functions_.begin(), functions_.end(), same), functions_.end());
    for (std::size_t i = 0; i < functions_.size(); ++i) places_.emplace(functions_[i].address, i);
    find_parents();
    find_traffic();
  }

  Graph graph() {
    add("machine", Kind::machine, "machine", "");
    add_roots();
    for (std::size_t at = 0; at < functions_.size(); ++at)
      if (above_[at] == none) add_below(at);
    sort_depth_first(graph_);
    return std::move(graph_);
  }

 private:
  // Domains of any length in the order of their numbers.

  void find_parents() {
    above_.assign(functions_.size(), none);
    below_.assign(functions_.size(), {});
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (const auto found = places_.find(functions_[i].above); found != places_.end()) above_[i] = found->second;
    // Walk up from each; who meets a function of the same walk again stands in a circle, and is cut off there.
    std::vector<std::size_t> walk(functions_.size(), none);
    for (std::size_t i = 0; i < functions_.size(); ++i)
      for (std::size_t at = i; at != none && walk[at] == none;) {
        walk[at] = i;
        const std::size_t next = above_[at];
        if (next != none && walk[next] == i) above_[at] = none;
        at = above_[at];
      }
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (above_[i] != none) below_[above_[i]].push_back(i);
  }

  Node& add(std::string key, Kind kind, std::string name, std::string parent) {
    return add_node(graph_, std::move(key), kind, std::move(name), std::move(parent), source_);
  }

  Link& link(const std::string& a, const std::string& b, LinkKind kind) {
    Link link;
    link.a = a;
    link.b = b;
    link.kind = kind;
    link.provenance = {source_};
    graph_.links.push_back(std::move(link));
    return graph_.links.back();
  }

  static std::string root_of(const PcieFunction& it) {
    return it.root.empty() ? "pci" + it.address.substr(0, it.address.rfind(':')) : it.root;
  }

  void add_roots() {
    std::map<std::pair<std::size_t, std::string>, std::optional<unsigned>> roots;  // each with its NUMA node
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (above_[i] != none) continue;
      const std::string root = root_of(functions_[i]);
      std::optional<unsigned>& numa = roots[{root.size(), root}];
      if (!numa) numa = functions_[i].numa;
    }
    std::set<unsigned> numbers;
    for (const auto& [root, numa] : roots)
      if (numa) numbers.insert(*numa);
    for (const unsigned number : numbers)
      add(fmt::format("numa{}", number), Kind::numa, fmt::format("NUMA {}", number), "machine");
    for (const auto& [root, numa] : roots) {
      const std::string holder = numa ? fmt::format("numa{}", *numa) : "machine";
      add(root.second, Kind::pci_root, "PCIe root " + root.second.substr(3), holder);
      link(holder, root.second, LinkKind::internal);
    }
  }

  bool is_bridge(std::size_t at) const { return functions_[at].device_class == bridge_class; }

  Kind kind_of(std::size_t at) const {
    const PcieFunction& it = functions_[at];
    if (!is_bridge(at)) return pci_kind({it.device_class, it.vendor_id, it.device_id});
    // As in the reader of hwloc: a bridge under a bridge that has bridges below is the upstream port of a switch.
    const bool fans_out = std::any_of(below_[at].begin(), below_[at].end(), [&](std::size_t below) { return is_bridge(below); });
    return above_[at] != none && fans_out ? Kind::pci_switch : Kind::pci_bridge;
  }

  // In depth-first order, without recursion: a recorded tree can be deeper than a stack.
  void add_below(std::size_t top) {
    std::vector<std::pair<std::size_t, unsigned>> open{{top, 0}};
    while (!open.empty()) {
      const auto [at, depth] = open.back();
      open.pop_back();
      add_function(at, depth);
      for (const std::size_t below : below_[at] | std::views::reverse) open.emplace_back(below, depth + 1);
    }
  }

  void add_function(std::size_t at, unsigned depth) {
    PcieFunction& it = functions_[at];
    const std::string parent = above_[at] == none ? root_of(it) : functions_[above_[at]].address;
    Node& node =
        add(it.address, kind_of(at), pci_name({it.device_class, it.vendor_id, it.device_id}, it.vendor, it.device), parent);
    Attributes& attributes = node.attributes;
    attributes = std::move(it.attributes);
    const auto put = [&](const char* name, std::string text) {
      if (!text.empty()) attributes[name] = std::move(text);
    };
    put("pci_class", fmt::format("{:04x}", it.device_class));
    if (it.device_id != 0) put("pci_id", fmt::format("{:04x}:{:04x}", it.vendor_id, it.device_id));
    if (it.subsystem_vendor_id != 0) put("pci_subsystem", fmt::format("{:04x}:{:04x}", it.subsystem_vendor_id, it.subsystem_id));
    const std::string_view word = pci_class_word(it.device_class);
    put("pci_class_name", word.empty() ? it.class_name : std::string(word));
    put("vendor", it.vendor);
    put("device", it.device);
    put("buses", it.buses);
    put("physical_function", it.physical_function);
    if (it.numa) attributes["numa_node"] = std::uint64_t{*it.numa};
    Link& up = link(parent, it.address, LinkKind::pcie);
    if (above_[at] != none) rate(up, at, depth);
  }

  // A port that leads down tells of the link below it, every other function of the link above it. Where nobody said what a bridge
  // is: the first one is a root port, then upstream and downstream ports take turns.
  bool leads_down(std::size_t at, unsigned depth) const {
    const PcieRole role = functions_[at].role;
    if (role == PcieRole::unknown) return is_bridge(at) && depth % 2 == 0;
    return role == PcieRole::root_port || role == PcieRole::downstream_port;
  }

  void rate(Link& up, std::size_t at, unsigned depth) {
    const PcieFunction* it = &functions_[at];
    const PcieFunction& above = functions_[above_[at]];
    const bool both = leads_down(above_[at], depth - 1);
    if (leads_down(at, depth)) return;  // inside a switch
    if (!both && is_bridge(at)) return;
    // A virtual function uses its physical one's link and tells nothing.
    if (const auto physical = places_.find(it->physical_function); physical != places_.end()) it = &functions_[physical->second];
    if (!known(it->active) && !known(it->capable)) return;
    up.capable = it->capable;
    up.active = it->active;
    if (both) {
      up.capable = {lesser(it->capable.width, above.capable.width), lesser(it->capable.speed, above.capable.speed)};
      up.active = {above.active.width != 0 ? above.active.width : it->active.width,
                   above.active.speed > 0 ? above.active.speed : it->active.speed};
      const bool differ = (it->active.width != 0 && it->active.width != up.active.width) ||
                          (it->active.speed > 0 && it->active.speed != up.active.speed);
      if (differ) up.active_at_b = it->active;
      if (known(above.capable) && words(above.capable) != words(it->capable)) {
        up.attributes["a_capable"] = words(above.capable);
        if (known(it->capable)) up.attributes["b_capable"] = words(it->capable);
      }
    }
    const Rate slower = {lesser(up.active.width, up.active_at_b.width), lesser(up.active.speed, up.active_at_b.speed)};
    up.bandwidth = pcie_bandwidth(slower);
    if (slower.width == 0) return;  // nothing is known, or nothing is there
    const bool slow = slower.speed > 0 && up.capable.speed > 0 && slower.speed < up.capable.speed;
    // A GPU slows its own link down while it is idle, and that of the switch on its board.
    const bool idle = traffic_[at].gpu && !traffic_[at].other;
    up.state = slow && idle ? LinkState::low : LinkState::active;
  }

  // Of each function whether GPUs hang on its link up, and whether anything else that carries traffic does.
  void find_traffic() {
    traffic_.assign(functions_.size(), {});
    std::vector<std::size_t> order;  // a function before what is below it
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (above_[i] == none) order.push_back(i);
    for (std::size_t next = 0; next < order.size(); ++next)
      for (const std::size_t below : below_[order[next]]) order.push_back(below);
    for (const std::size_t at : order | std::views::reverse) {
      const PcieFunction& it = functions_[at];
      const Kind kind = is_bridge(at) ? Kind::pci_bridge : pci_kind({it.device_class, it.vendor_id, it.device_id});
      Traffic& traffic = traffic_[at];
      traffic.gpu = traffic.gpu || kind == Kind::gpu;
      traffic.other =
          traffic.other || kind == Kind::nic || kind == Kind::storage || kind == Kind::nvswitch || kind == Kind::accelerator;
      if (above_[at] == none) continue;
      traffic_[above_[at]].gpu |= traffic.gpu;
      traffic_[above_[at]].other |= traffic.other;
    }
  }

  struct Traffic {
    bool gpu = false, other = false;
  };

  std::vector<PcieFunction> functions_;
  std::vector<Traffic> traffic_;
  std::string source_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::size_t> above_;
  std::vector<std::vector<std::size_t>> below_;
  Graph graph_;
};

}  // namespace

double pcie_speed(std::string_view text) {
  double speed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), speed);
  if (error != std::errc() || !(speed > 0) || speed > 1e4) return 0;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return unit.starts_with("GT/s") ? speed : 0;
}

unsigned pcie_width(std::string_view text) {
  if (text.starts_with('x')) text.remove_prefix(1);
  unsigned width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error != std::errc() || width >= 63 ? 0 : width;
}

Graph pcie_graph(std::vector<PcieFunction> functions, const std::string& source) {
  return Tree(std::move(functions), source).graph();
}

}  // namespace railgauge::topo

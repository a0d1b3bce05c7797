// Counts of cables by what they carry, and a line for each switch, or for several that are alike.
#include "topo/draw/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topo/infiniband.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t most_lines = 40;

std::string rate_words(const Link& link) {
  if (link.kind == LinkKind::tree) return "cables unknown";
  const InfinibandSpeed* speed = infiniband_speed(link.active.speed);
  std::string text = link.active.width == 0 ? "rate unknown"
                     : speed != nullptr     ? fmt::format("{}x {}", link.active.width, speed->name)
                                            : fmt::format("{}x {:g} Gb/s", link.active.width, link.active.speed);
  if (link.bandwidth.nominal > 0) text += fmt::format(" ({} GB/s)", gigabytes(link.bandwidth.nominal));
  if (link.state != LinkState::active && link.state != LinkState::unknown) text += fmt::format(" {}", row(link.state).name);
  return text;
}

// What hangs on one switch.
struct Switch {
  const Node* node = nullptr;
  std::size_t to_hosts = 0, to_switches = 0;
  std::vector<std::size_t> others;  // switches at the far end
};

class Fabric {
 public:
  explicit Fabric(const Graph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) places_.emplace(graph.nodes[i].key, i);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].kind == Kind::fabric_switch) {
        numbers_.emplace(i, switches_.size());
        switches_.push_back({&graph.nodes[i], 0, 0, {}});
      }
    for (const Link& link : graph.links) add(link);
  }

  [[nodiscard]] std::string draw() {
    if (switches_.empty()) return {};
    std::map<Kind, std::size_t> counts;
    for (const Node& node : graph_.nodes) ++counts[node.kind];
    std::string text = fmt::format("fabric: {}", counted(switches_.size(), Kind::fabric_switch));
    if (counts[Kind::machine] != 0) text += ", " + counted(counts[Kind::machine], "host", "hosts");
    if (counts[Kind::nic] != 0) text += ", " + counted(counts[Kind::nic], Kind::nic);
    text += "\n";
    lines(text, "links to hosts", to_hosts_);
    lines(text, "links between switches", between_);
    return text + table();
  }

 private:
  void add(const Link& link) {
    if (link.kind != LinkKind::infiniband && link.kind != LinkKind::ethernet && link.kind != LinkKind::tree) return;
    const std::size_t a = number_of_switch(link.a);
    const std::size_t b = number_of_switch(link.b);
    if (a == none && b == none) return;
    auto& counts = a != none && b != none ? between_ : to_hosts_;
    counts[rate_words(link)] += link.count;
    for (const auto& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
      if (here == none) continue;
      (there == none ? switches_[here].to_hosts : switches_[here].to_switches) += link.count;
      if (there != none) switches_[here].others.push_back(there);
    }
  }

  [[nodiscard]] std::size_t number_of_switch(const std::string& key) const {
    const auto place = places_.find(key);
    if (place == places_.end()) return none;
    const auto number = numbers_.find(place->second);
    return number == numbers_.end() ? none : number->second;
  }

  static void lines(std::string& text, const char* what, const std::map<std::string, std::size_t>& counts) {
    std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [rate, count] : sorted) text += fmt::format("  {:>7} {}: {}\n", count, what, rate);
  }

  // One line for all that have as many links of either sort, to as many switches.
  [[nodiscard]] std::string table() {
    using Likeness = std::tuple<std::size_t, std::size_t, std::size_t>;
    std::map<Likeness, std::vector<const Switch*>> alike;
    for (Switch& it : switches_) {
      std::sort(it.others.begin(), it.others.end());
      const auto end = std::unique(it.others.begin(), it.others.end());
      alike[{it.to_hosts, it.to_switches, static_cast<std::size_t>(end - it.others.begin())}].push_back(&it);
    }
    std::vector<std::pair<Likeness, std::vector<const Switch*>>> sorted(alike.rbegin(), alike.rend());
    std::string text;
    std::size_t left = sorted.size();
    for (const auto& [likeness, those] : sorted) {
      if (sorted.size() - left == most_lines) return text + fmt::format("  and {} other sorts of switches\n", left);
      --left;
      const auto& [hosts, switches, others] = likeness;
      std::string names = printable(those.front()->node->name);
      if (those.size() > 1) names += (those.size() > 2 ? " ... " : ", ") + printable(those.back()->node->name);
      text +=
          fmt::format("  {:>7} with {}", counted(those.size(), Kind::fabric_switch), counted(hosts, "host link", "host links"));
      if (switches != 0)
        text += fmt::format(", {} to {}", counted(switches, "link", "links"), counted(others, "other switch", "other switches"));
      text += fmt::format(": {}\n", names);
    }
    return text;
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  const Graph& graph_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::unordered_map<std::size_t, std::size_t> numbers_;  // of nodes that are switches
  std::vector<Switch> switches_;
  std::map<std::string, std::size_t> to_hosts_, between_;  // by what they carry
};

}  // namespace

bool is_of_fabric_alone(const Node& root) {
  if (root.kind == Kind::fabric_switch) return true;
  if (root.kind != Kind::machine && root.kind != Kind::rack) return false;
  return root.attributes.find("threads") == root.attributes.end() &&
         root.attributes.find("memory_bytes") == root.attributes.end() &&
         std::none_of(root.provenance.begin(), root.provenance.end(), [](const std::string& it) {
           return it == "hwloc" || it == "nvml" || it.starts_with("nccl") || it == "lspci";
         });
}

std::string draw_fabric(const Graph& graph) { return Fabric(graph).draw(); }

}  // namespace railgauge::topo

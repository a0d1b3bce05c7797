// Names, models, ports and rails of devices, in few letters.
#include "topo/layout/machine_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topo/layout/machine.hpp"
#include "topo/layout/measure.hpp"
#include "topo/words.hpp"

namespace railgauge::topo::layout {
namespace {

// Without its maker, whom everyone knows: there is little room.
std::string model_of(const Node& node) {
  std::string name = node.name;
  for (const std::string_view maker : {"NVIDIA ", "Mellanox ", "AMD/ATI ", "Intel(R) ", "Amazon "})
    if (name.starts_with(maker) && name.size() > maker.size() + 2) name.erase(0, maker.size());
  return name;
}

}  // namespace

MachineWords::MachineWords(const Index& index, const View& view, const Place& tree) : index_(index), view_(view) {
  number_rails(tree);
}

std::string MachineWords::rail_of(std::size_t node) const {
  const auto found = rails_.find(node);
  return found == rails_.end() ? std::string() : found->second;
}

std::string MachineWords::name_of(std::size_t place) const {
  const Node& node = index_.node(place);
  if (node.kind == Kind::gpu) return fmt::format("GPU {}", view_.gpu_number(place));
  for (const char* list : {"verbs", "interfaces", "os_devices"})
    if (const auto names = list_of(node.attributes, list); !names.empty()) return names.front();
  return node.key.starts_with("os:") ? node.key.substr(3) : node.key.substr(node.key.find('/') + 1);
}

std::vector<std::string> MachineWords::lines_of(const Item& item) const {
  const Node& node = index_.node(item.node);
  const double width = card_width - 14;
  std::vector<std::string> lines{fitted(name_of(item.node), width - (rails_.contains(item.node) ? 34 : 0), title_size, true)};
  if (!item.alike.empty()) lines.front() = counted(item.alike.size() + 1, node.kind);
  std::vector<std::string> tail;
  if (const auto bytes = number_of(node.attributes, "memory_bytes")) tail.push_back(rounded_bytes(bytes));
  if (const auto inactive = list_of(node.attributes, "nvlinks_inactive"); !inactive.empty() && tail.size() < 2)
    tail.push_back(
        fmt::format("{} of {} NVLinks", number_of(node.attributes, "nvlinks_active"), number_of(node.attributes, "nvlinks")));
  for (const Link& link : index_.graph.links)
    if (link.kind == LinkKind::c2c && link.bandwidth.nominal > 0 && (link.a == node.key || link.b == node.key) && tail.size() < 2)
      tail.push_back(fmt::format("C2C {} GB/s", gigabytes(link.bandwidth.nominal)));
  for (const std::uint32_t child : index_.children(item.node)) {
    const Node& port = index_.node(child);
    if (port.kind != Kind::port || tail.size() == 2) continue;
    std::string text = std::string(text_of(port.attributes, "rate"));
    if (text.find('(') != std::string::npos) text.resize(text.find('('));
    const std::string_view state = text_of(port.attributes, "state");
    tail.push_back(fmt::format("{}{}{}", text, text.empty() || state.empty() ? "" : " ", state));
  }
  if (node.kind == Kind::gpu && !item.near.empty()) {
    std::string near = "\u2192";
    for (const std::size_t nic : item.near) near += " " + name_of(nic);
    tail.push_back(near);
  }
  for (const std::string& it :
       wrapped(model_of(node), width, line_size, 4 - std::max<std::size_t>(2, tail.size()) + (tail.empty() ? 1 : 0)))
    lines.push_back(fitted(it, width, line_size));
  for (const std::string& it : tail)
    if (!it.empty()) lines.push_back(fitted(it, width, line_size));
  return lines;
}

void MachineWords::number_rails(const Place& place) {
  std::vector<const Item*> nics;
  const auto collect = [&](const auto& self, const std::vector<Item>& items) -> void {
    for (const Item& item : items) {
      if (item.form == Item::Form::device && index_.node(item.node).kind == Kind::nic && item.alike.empty())
        nics.push_back(&item);
      self(self, item.below);
    }
  };
  const auto walk = [&](const auto& self, const Place& it) -> void {
    collect(collect, it.items);
    for (const Place& inside : it.inside) self(self, inside);
  };
  walk(walk, place);
  std::vector<std::size_t> paired;
  for (const Item* nic : nics) {
    const Attributes& attributes = index_.node(nic->node).attributes;
    if (attributes.contains("rail")) {
      const std::string_view text = text_of(attributes, "rail");
      rails_[nic->node] = text.empty() ? fmt::format("{}", number_of(attributes, "rail")) : std::string(text);
    } else if (!nic->near.empty()) {
      paired.push_back(nic->node);
    }
  }
  if (!rails_.empty() || paired.size() < 2) return;
  for (std::size_t i = 0; i < paired.size(); ++i) rails_[paired[i]] = fmt::format("{}", i);
}

std::string summary_of(const Index& index, std::size_t machine) {
  const Attributes& it = index.node(machine).attributes;
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  std::array<std::uint64_t, 32> count{};
  for (std::size_t i = machine; i < index.graph.nodes.size(); ++i) {
    // The machine may stand in a rack: what is not below it has a parent before it, or none.
    if (i != machine && (index.parents[i] == Index::none || index.parents[i] < machine)) break;
    ++count[static_cast<std::size_t>(index.node(i).kind)];
  }
  std::string product = fmt::format("{} {}", text_of(it, "maker"), text_of(it, "product"));
  product.erase(0, product.find_first_not_of(' '));
  product.erase(product.find_last_not_of(' ') + 1);
  add(product);
  if (count[static_cast<std::size_t>(Kind::package)] == 0) add(std::string(text_of(it, "cpu_model")));
  for (const Kind kind : {Kind::package, Kind::numa, Kind::gpu, Kind::nvswitch, Kind::accelerator, Kind::nic})
    if (const auto number = count[static_cast<std::size_t>(kind)]; number != 0) add(counted(number, kind));
  const auto cores = number_of(it, "cores");
  if (cores != 0) add(counted(cores, "core", "cores"));
  if (const auto threads = number_of(it, "threads"); cores == 0 && threads != 0) add(counted(threads, "thread", "threads"));
  const std::uint64_t alone = number_of(it, cores != 0 ? "cores_without_package" : "threads_without_package");
  if (alone != 0)
    add(fmt::format("{} in no package", cores != 0 ? counted(alone, "core", "cores") : counted(alone, "thread", "threads")));
  if (const auto bytes = number_of(it, "memory_bytes")) add(rounded_bytes(bytes));
  return text;
}

}  // namespace railgauge::topo::layout

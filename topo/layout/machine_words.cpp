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

// Broken at spaces into at most `most` lines.
std::vector<std::string> wrapped(const std::string& text, double width, std::size_t most) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(begin, end - begin);
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && lines.size() + 1 < most && text_width(longer, line_size) > width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    begin = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  for (std::string& it : lines) it = fitted(it, width, line_size);
  return lines;
}

}  // namespace

MachineWords::MachineWords(const Index& index, std::size_t machine, const Place& tree) : index_(index) {
  // Files of strangers need not tell machines one after the other.
  for (std::size_t i = machine; i < index.graph.nodes.size(); ++i) {
    if (index.node(i).kind != Kind::gpu) continue;
    for (std::size_t it = i; it != Index::none; it = index.parents[it])
      if (it == machine) gpu_numbers_.emplace(i, gpu_numbers_.size());
  }
  number_rails(tree);
}

std::string MachineWords::rail_of(std::size_t node) const {
  const auto found = rails_.find(node);
  return found == rails_.end() ? std::string() : found->second;
}

std::string MachineWords::gpu_name(std::size_t node) const {
  for (const std::string& name : list_of(index_.node(node).attributes, "os_devices"))
    for (const std::string_view prefix : {"cuda", "nvml", "rsmi"})
      if (name.starts_with(prefix) && name.size() > prefix.size() &&
          name.find_first_not_of("0123456789", prefix.size()) == std::string::npos)
        return "GPU " + name.substr(prefix.size());
  return fmt::format("GPU {}", gpu_numbers_.at(node));
}

std::string MachineWords::name_of(std::size_t place) const {
  const Node& node = index_.node(place);
  if (node.kind == Kind::gpu) return gpu_name(place);
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
  for (std::string& it : wrapped(model_of(node), width, 4 - std::max<std::size_t>(2, tail.size()) + (tail.empty() ? 1 : 0)))
    lines.push_back(std::move(it));
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
    if (i != machine && index.parents[i] == Index::none) break;
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

#include "topo/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "topo/pci.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::optional<std::size_t> number_after(std::string_view text, std::string_view stem) {
  if (!text.starts_with(stem)) return std::nullopt;
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + stem.size(), end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

bool is_nvidia(const Node& gpu) {
  const std::string_view id = text_of(gpu.attributes, "pci_id");
  return gpu.kind == Kind::gpu && (id.empty() || id.starts_with("10de"));
}

}  // namespace

bool names_a_device(std::string_view uuid) {
  std::string text = lower(uuid);
  if (text.starts_with("0x")) text.erase(0, 2);
  const std::size_t size = text.size();
  for (const std::string_view prefix : {"gpu-", "mig-", "uuid-"})
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  const bool prefixed = text.size() != size;
  for (const std::string_view word : {"redacted", "removed", "hidden", "masked", "unknown", "n/a", "not ", "none", "null"})
    if (text.find(word) != std::string::npos) return false;
  if (text.find_first_of("[]<>*?#") != std::string::npos || text.find("xxxx") != std::string::npos) return false;
  std::erase_if(text, [](char c) { return c == '-' || c == ':' || c == '_' || c == ' ' || c == '.'; });
  if (text.empty()) return false;
  // "ffffffff-ffff-...": what is not set.
  constexpr std::size_t too_many = 8;
  const bool one_digit = text.find_first_not_of(text.front()) == std::string::npos;
  const bool nil = text.front() == '0' && !prefixed;
  return !(one_digit && (text.size() >= too_many || nil || !is_hexadecimal(text.front())));
}

std::optional<std::size_t> nvml_number(const Node& gpu) {
  if (gpu.attributes.contains("nvml_index")) return number_of(gpu.attributes, "nvml_index");
  for (const std::string& name : list_of(gpu.attributes, "os_devices"))
    if (const auto number = number_after(name, "nvml")) return number;
  if (const auto number = number_after(gpu.key, "os:nvml")) return number;
  // NCCL's `dev` is NVML's number, and nvidia-smi's is too.
  if ((told_by(gpu.provenance, "nccl") || told_by(gpu.provenance, "nvidia-smi")) && gpu.attributes.contains("index"))
    return number_of(gpu.attributes, "index");
  return std::nullopt;
}

std::vector<std::optional<std::size_t>> nvml_numbers(const Graph& graph) {
  std::vector<std::optional<std::size_t>> numbers(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == Kind::gpu) numbers[i] = nvml_number(graph.nodes[i]);
  return numbers;
}

void count_nvml_numbers(const Graph& graph, std::vector<std::optional<std::size_t>>& numbers,
                        const std::vector<std::optional<std::size_t>>& others) {
  std::vector<std::size_t> known;
  for (const auto& number : others)
    if (number) known.push_back(*number);
  std::sort(known.begin(), known.end());
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] != i) return;
  std::vector<std::pair<std::string, std::size_t>> gpus;  // address and place
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!is_nvidia(graph.nodes[i])) continue;
    std::string address = pci_key(graph.nodes[i].key);
    if (numbers[i] || address.empty()) return;
    const std::size_t colon = address.find(':');  // domains have four digits or more
    gpus.emplace_back(std::string(8 - std::min<std::size_t>(colon, 8), '0') + address, i);
  }
  if (gpus.size() != known.size()) return;
  std::sort(gpus.begin(), gpus.end());
  for (std::size_t i = 0; i < gpus.size(); ++i) numbers[gpus[i].second] = i;
}

std::vector<std::string> names_in_machine(const Node& node, const std::optional<std::size_t>& number) {
  std::vector<std::string> names;
  if (number) names.push_back(fmt::format("gpu {}", *number));
  if (node.kind == Kind::port && node.name.find('/') != std::string::npos) names.push_back("port " + node.name);
  if (node.kind != Kind::nic) return names;
  constexpr auto lists = std::to_array<std::pair<const char*, const char*>>({{"verbs", "verbs"}, {"interfaces", "interface"}});
  for (const auto& [attribute, word] : lists)
    for (const std::string& name : list_of(node.attributes, attribute)) names.push_back(fmt::format("{} {}", word, name));
  return names;
}

}  // namespace railgauge::topo

// A row for each word of a name, and one for each compute capability; the first row that fits counts.
#include "topo/gpu_models.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace railgauge::topo {
namespace {

struct NameRow {
  std::string_view word, other;  // both are words of the name; an empty one is always
  GpuModel model;
};
using enum GpuLinks;
constexpr auto names = std::to_array<NameRow>({
    {"P100", "SXM2", {"Pascal", "NVLink", always}},
    {"P100", "", {"Pascal", "NVLink", some}},
    {"GP100GL", "", {"Pascal", "NVLink", some}},
    {"V100", "PCIE", {"Volta", "NVLink", never}},
    {"V100", "PCIe", {"Volta", "NVLink", never}},
    {"V100", "FHHL", {"Volta", "NVLink", never}},
    {"V100S", "", {"Volta", "NVLink", never}},
    {"V100", "", {"Volta", "NVLink", always}},
    {"GV100GL", "", {"Volta", "NVLink", some}},
    {"A100", "PCIe", {"Ampere", "NVLink", some}},
    {"A100", "PCIE", {"Ampere", "NVLink", some}},
    {"A100", "", {"Ampere", "NVLink", always}},
    {"A800", "SXM4", {"Ampere", "NVLink", always}},
    {"A800", "", {"Ampere", "NVLink", some}},
    {"A30", "", {"Ampere", "NVLink", some}},
    {"GA100", "", {"Ampere", "NVLink", some}},
    {"H100", "PCIe", {"Hopper", "NVLink", some}},
    {"H100", "NVL", {"Hopper", "NVLink", some}},
    {"H200", "NVL", {"Hopper", "NVLink", some}},
    {"H800", "PCIe", {"Hopper", "NVLink", some}},
    {"H800", "NVL", {"Hopper", "NVLink", some}},
    {"H100", "", {"Hopper", "NVLink", always, true}},
    {"H200", "", {"Hopper", "NVLink", always, true}},
    {"H800", "", {"Hopper", "NVLink", always, true}},
    {"H20", "", {"Hopper", "NVLink", always, true}},
    {"GH200", "", {"Hopper", "NVLink", some, true}},
    {"GH100", "", {"Hopper", "NVLink", some, true}},
    {"B100", "", {"Blackwell", "NVLink", always, true, false, true}},
    {"B200", "", {"Blackwell", "NVLink", always, true, false, true}},
    {"B300", "", {"Blackwell", "NVLink", always, true, false, true}},
    {"GB200", "", {"Blackwell", "NVLink", always, true, true}},
    {"GB300", "", {"Blackwell", "NVLink", always, true, true}},
    {"VR200", "", {"Rubin", "NVLink", always, true, true}},
    {"GB10", "", {"Blackwell", "NVLink", never}},
    {"K80", "", {"Kepler", "", never}},
    {"M60", "", {"Maxwell", "", never}},
    {"P4", "", {"Pascal", "", never}},
    {"P40", "", {"Pascal", "", never}},
    {"T4", "", {"Turing", "", never}},
    {"A2", "", {"Ampere", "", never}},
    {"A10", "", {"Ampere", "", never}},
    {"A10G", "", {"Ampere", "", never}},
    {"A16", "", {"Ampere", "", never}},
    {"L2", "", {"Ada", "", never}},
    {"L4", "", {"Ada", "", never}},
    {"L20", "", {"Ada", "", never}},
    {"L40", "", {"Ada", "", never}},
    {"L40S", "", {"Ada", "", never}},
    {"RTX", "Ada", {"Ada", "", never}},
    {"RTX", "4090", {"Ada", "", never}},
    {"RTX", "5090", {"Blackwell", "", never}},
    {"RTX", "PRO", {"Blackwell", "", never}},
    {"RTX", "Blackwell", {"Blackwell", "", never}},
    {"gfx906", "", {"Vega 20", "xGMI", some}},
    {"gfx908", "", {"CDNA", "xGMI", some}},
    {"MI100", "", {"CDNA", "xGMI", some}},
    {"gfx90a", "", {"CDNA 2", "xGMI", some}},
    {"910", "", {"CDNA 2", "xGMI", some}},
    {"MI200", "", {"CDNA 2", "xGMI", some}},
    {"MI210", "", {"CDNA 2", "xGMI", some}},
    {"MI250", "", {"CDNA 2", "xGMI", always}},
    {"MI250X", "", {"CDNA 2", "xGMI", always}},
    {"gfx940", "", {"CDNA 3", "xGMI", always}},
    {"gfx941", "", {"CDNA 3", "xGMI", always}},
    {"gfx942", "", {"CDNA 3", "xGMI", always}},
    {"MI300A", "", {"CDNA 3", "xGMI", always}},
    {"MI300X", "", {"CDNA 3", "xGMI", always}},
    {"MI308X", "", {"CDNA 3", "xGMI", always}},
    {"MI325X", "", {"CDNA 3", "xGMI", always}},
    {"gfx950", "", {"CDNA 4", "xGMI", always}},
    {"MI350X", "", {"CDNA 4", "xGMI", always}},
    {"MI355X", "", {"CDNA 4", "xGMI", always}},
});

struct CapabilityRow {
  std::string_view capability;
  GpuModel model;
};
constexpr auto capabilities = std::to_array<CapabilityRow>({
    {"6.0", {"Pascal", "NVLink", some}},
    {"6.1", {"Pascal", "", never}},
    {"7.0", {"Volta", "NVLink", some}},
    {"7.5", {"Turing", "NVLink", some}},
    {"8.0", {"Ampere", "NVLink", some}},
    {"8.6", {"Ampere", "NVLink", some}},
    {"8.9", {"Ada", "", never}},
    {"9.0", {"Hopper", "NVLink", some, true}},
    {"10.0", {"Blackwell", "NVLink", always, true, false, true}},
    {"10.3", {"Blackwell", "NVLink", always, true, false, true}},
    {"10.7", {"Rubin", "NVLink", always, true, false, true}},
    {"12.0", {"Blackwell", "", never}},
    {"12.1", {"Blackwell", "", never}},
});

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string name_and_model(const Node& gpu) { return gpu.name + ' ' + std::string(text_of(gpu.attributes, "model")); }

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool model_has(const Node& gpu, std::string_view word) { return contains(words_of(name_and_model(gpu)), word); }

GpuModel gpu_model(const Node& gpu) {
  const std::string name = name_and_model(gpu);
  const std::vector<std::string_view> words = words_of(name);
  const auto has = [&](std::string_view word) { return word.empty() || contains(words, word); };
  const auto* const named =
      std::find_if(names.begin(), names.end(), [&](const NameRow& row) { return has(row.word) && has(row.other); });
  if (named != names.end()) return named->model;
  const std::string_view capability = text_of(gpu.attributes, "compute_capability");
  const auto* const capable = std::find_if(capabilities.begin(), capabilities.end(),
                                           [&](const CapabilityRow& row) { return row.capability == capability; });
  return capable == capabilities.end() ? GpuModel{} : capable->model;
}

bool lists_links(const View& view, std::size_t gpu) {
  const Node& node = view.node(gpu);
  if (gpu_model(node).links == GpuLinks::never) return true;
  for (const std::string_view source : {"nvml", "amd-smi", "rocm-smi"})
    if (told_by(node.provenance, source)) return true;
  // NCCL's own dump has the number of a rank, and all links; vendors' files list PCIe alone.
  const auto written = list_of(node.attributes, "nccl_gpu");
  if (told_by(node.provenance, "nccl") && !written.empty() && written.front().find(" rank=") != std::string::npos) return true;
  const auto links = view.links(gpu);  // of the table `nvidia-smi topo -m`
  return told_by(node.provenance, "nvidia-smi") && std::any_of(links.begin(), links.end(), [&](std::size_t link) {
           return view.link(link).kind == LinkKind::path && view.link(link).attributes.contains("path");
         });
}

}  // namespace railgauge::topo

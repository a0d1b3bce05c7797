// Tables of vendors, their tools, and the words in names of models.
#include "topo/check/gpu_tools.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace railgauge::topo {
namespace {

struct VendorRow {
  GpuVendor vendor;
  std::string_view pci;     // number of the vendor
  std::string_view name;    // part of the names of its GPUs
  std::string_view source;  // that reads GPUs of this vendor alone
  std::string_view advice;
};
constexpr auto vendors = std::to_array<VendorRow>({
    {GpuVendor::nvidia, "10de:", "NVIDIA", "nvml",
     "See `nvidia-smi nvlink -s` and -e and the Xid lines of dmesg; reset the GPU, and if the link stays down, have the board "
     "or cable exchanged"},
    {GpuVendor::nvidia, "10de:", "Tesla", "nvidia-smi", ""},
    {GpuVendor::amd, "1002:", "AMD", "rsmi",
     "See `amd-smi xgmi` (`rocm-smi --showxgmierr` with older ROCm) and the amdgpu lines of dmesg; reset the GPU, and if the "
     "link stays down, have the board exchanged"},
    {GpuVendor::amd, "1002:", "Instinct", "rocm", ""},
    {GpuVendor::intel, "8086:", "Intel", "levelzero",
     "See `xpu-smi topology -m` and the messages of the driver in dmesg; reset the GPU, and if the link stays down, have the "
     "board "
     "exchanged"},
});

bool has(const Provenance& sources, std::string_view source) {
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

}  // namespace

GpuVendor vendor_of(const Node& gpu) {
  const std::string_view number = text_of(gpu.attributes, "pci_id");
  for (const VendorRow& row : vendors)
    if (number.starts_with(row.pci)) return row.vendor;
  for (const VendorRow& row : vendors)
    if (gpu.name.find(row.name) != std::string::npos) return row.vendor;
  for (const VendorRow& row : vendors)
    if (has(gpu.provenance, row.source)) return row.vendor;
  return GpuVendor::unknown;
}

bool is_of_nvlink_board(const Node& gpu) {
  constexpr auto cards = std::to_array<std::string_view>({"PCIe", "PCIE", "NVL", "RTX"});
  constexpr auto boards = std::to_array<std::string_view>(
      {"SXM", "HGX", "DGX", "HBM3", "H200", "H20", "H800", "B100", "B200", "B300", "GB200", "GB300"});
  const std::string_view model = text_of(gpu.attributes, "model");
  const std::string name = gpu.name + ' ' + std::string(model);
  const auto holds = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  return std::none_of(cards.begin(), cards.end(), holds) && std::any_of(boards.begin(), boards.end(), holds);
}

std::string advice_on_links(GpuVendor vendor) {
  for (const VendorRow& row : vendors)
    if (row.vendor == vendor) return std::string(row.advice);
  return "See the tool of the GPU's vendor and the messages of its driver in dmesg; reset the GPU, and if the link stays down, "
         "have the board exchanged";
}

}  // namespace railgauge::topo

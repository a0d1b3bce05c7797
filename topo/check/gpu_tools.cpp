// Tables of vendors, their tools, and the words in names of models.
#include "topo/check/gpu_tools.hpp"

#include <array>
#include <string_view>

namespace railgauge::topo {
namespace {

struct VendorRow {
  GpuVendor vendor;
  std::string_view pci;     // number of the vendor
  std::string_view name;    // part of the names of its GPUs
  std::string_view source;  // that reads GPUs of this vendor alone; empty where there is none
  std::string_view advice;
};
constexpr auto vendors = std::to_array<VendorRow>({
    {GpuVendor::nvidia, "10de:", "NVIDIA", "nvml",
     "See `nvidia-smi nvlink -s` and -e and the Xid lines of dmesg; reset the GPU, and if the link stays down, have the board "
     "or cable exchanged"},
    {GpuVendor::nvidia, "10de:", "Tesla", "nvidia-smi", ""},
    {GpuVendor::amd, "1002:", "AMD", "amd-smi",
     "See `amd-smi xgmi` (`rocm-smi --showxgmierr` with older ROCm) and the amdgpu lines of dmesg; reset the GPU, and if the "
     "link stays down, have the board exchanged"},
    {GpuVendor::amd, "1002:", "Instinct", "rocm-smi", ""},
    {GpuVendor::intel, "8086:", "Intel", "",
     "See `xpu-smi topology -m` and the messages of the driver in dmesg; reset the GPU, and if the link stays down, have the "
     "board exchanged"},
});

}  // namespace

GpuVendor vendor_of(const Node& gpu) {
  const std::string_view number = text_of(gpu.attributes, "pci_id");
  for (const VendorRow& row : vendors)
    if (number.starts_with(row.pci)) return row.vendor;
  for (const VendorRow& row : vendors)
    if (gpu.name.find(row.name) != std::string::npos) return row.vendor;
  for (const VendorRow& row : vendors)
    if (told_by(gpu.provenance, row.source)) return row.vendor;
  return GpuVendor::unknown;
}

std::string advice_on_links(GpuVendor vendor) {
  for (const VendorRow& row : vendors)
    if (row.vendor == vendor) return std::string(row.advice);
  return "See the tool of the GPU's vendor and the messages of its driver in dmesg; reset the GPU, and if the link stays down, "
         "have the board exchanged";
}

}  // namespace railgauge::topo

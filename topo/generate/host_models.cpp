// The models of machines, each figure with its source.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "topo/generate/hosts.hpp"

namespace railgauge::topo {
namespace {

// From package to package as NCCL reckons it (src/graph/topo.h): 16 GB/s of AMD, 22 of Sapphire Rapids. Memory of a package: the
// channels of its data sheet times 8 bytes times their rate.
constexpr auto models = std::to_array<HostModel>({
    // NVIDIA DGX A100 User Guide, hardware overview: 8 A100, 6 NVSwitches, 2 EPYC 7742 (8 channels DDR4-3200), 8 single-port
    // ConnectX-6 of 200 Gb/s for the cluster. Two NVLinks of each GPU to each NVSwitch, two GPUs and two NICs below each PCIe
    // switch: NVIDIA, "Defining AI Innovation with NVIDIA DGX A100" (developer.nvidia.com/blog).
    {.name = "dgx-a100",
     .machine = "NVIDIA DGX A100",
     .architecture = "x86_64",
     .processor = "AMD EPYC 7742 64-Core Processor",
     .cpu_link = 16,
     .memory = 204.8,
     .gpu = "NVIDIA A100-SXM4-80GB",
     .capability = "8.0",
     .gpus = 8,
     .nvlink = 4,
     .nvlinks = "222222",
     .pcie = 4,
     .pairs = 2,
     .nic = "Mellanox ConnectX-6",
     .nic_rate = "4xHDR",
     .nics = 8},
    // NVIDIA DGX H100/H200 User Guide, hardware overview: 8 GPUs, 4 NVSwitches, 2 Xeon Platinum 8480C (8 channels DDR5-4800), 8
    // ConnectX-7 of 400 Gb/s for the cluster, each below a PCIe switch with its GPU. Eighteen NVLinks of each GPU, to the
    // NVSwitches 4, 5, 5 and 4 (NVIDIA, "NVLink4 NVSwitch", Hot Chips 34).
    {.name = "dgx-h100",
     .machine = "NVIDIA DGX H100",
     .architecture = "x86_64",
     .processor = "Intel(R) Xeon(R) Platinum 8480C",
     .cpu_link = 22,
     .memory = 307.2,
     .gpu = "NVIDIA H100 80GB HBM3",
     .capability = "9.0",
     .gpus = 8,
     .nvlink = 6,
     .nvlinks = "4554",
     .pcie = 5,
     .pairs = 1,
     .nic = "Mellanox ConnectX-7",
     .nic_rate = "4xNDR",
     .nics = 8},
    // The same guide.
    {.name = "dgx-h200",
     .machine = "NVIDIA DGX H200",
     .architecture = "x86_64",
     .processor = "Intel(R) Xeon(R) Platinum 8480C",
     .cpu_link = 22,
     .memory = 307.2,
     .gpu = "NVIDIA H200",
     .capability = "9.0",
     .gpus = 8,
     .nvlink = 6,
     .nvlinks = "4554",
     .pcie = 5,
     .pairs = 1,
     .nic = "Mellanox ConnectX-7",
     .nic_rate = "4xNDR",
     .nics = 8},
    // NVIDIA DGX B200 User Guide, hardware overview: 8 B200, 2 NVSwitches, 2 Xeon Platinum 8570 (8 channels DDR5-5600), 8
    // ConnectX-7 of 400 Gb/s for the cluster. Taken to be so: half of a GPU's eighteen NVLinks go to each NVSwitch, and PCIe is
    // as of
    // DGX H100.
    {.name = "dgx-b200",
     .machine = "NVIDIA DGX B200",
     .architecture = "x86_64",
     .processor = "Intel(R) Xeon(R) Platinum 8570",
     .cpu_link = 22,
     .memory = 358.4,
     .gpu = "NVIDIA B200",
     .capability = "10.0",
     .gpus = 8,
     .nvlink = 7,
     .nvlinks = "99",
     .pcie = 5,
     .pairs = 1,
     .nic = "Mellanox ConnectX-7",
     .nic_rate = "4xNDR",
     .nics = 8},
    // AMD Instinct MI300X: seven links of 16 lanes, 128 GB/s in both directions together, one to each other of a platform's eight
    // GPUs. Taken to be so: the rest is as of DGX H100.
    {.name = "mi300x",
     .machine = "AMD Instinct MI300X platform",
     .architecture = "x86_64",
     .processor = "Intel(R) Xeon(R) Platinum 8480C",
     .cpu_link = 22,
     .memory = 307.2,
     .gpu = "AMD Instinct MI300X",
     .capability = "",
     .gpus = 8,
     .nvlinks = "",
     .xgmi = 64,
     .xgmi_usable = 48,
     .pcie = 5,
     .pairs = 1,
     .nic = "Mellanox ConnectX-7",
     .nic_rate = "4xNDR",
     .nics = 8},
    // A compute tray of GB200 NVL72. NVIDIA GB200 NVL Multi-Node Tuning Guide, system: 18 compute trays of 2 Grace, 4 GPUs and 4
    // ConnectX-7, 9 switch trays, of 2 NVSwitches each; one NVLink of each GPU to each of 18. Memory of a Grace: 18.4 TB/s of 36
    // (NVIDIA GB200 NVL72 data sheet). C2C: 5 links of 44.712 GB/s for each GPU, as NVML tells them. From Grace to Grace 110 GB/s
    // were measured (github.com/ForceInjection/AI-fundamentals, issue 22).
    {.name = "nvl72",
     .machine = "NVIDIA GB200 NVL72 compute tray",
     .architecture = "aarch64",
     .processor = "Neoverse-V2",
     .cpu_link = 110,
     .memory = 511,
     .gpu = "NVIDIA GB200",
     .capability = "10.0",
     .gpus = 4,
     .nvlink = 7,
     .nvlinks = "111111111111111111",
     .trays = 18,
     .c2c = 44.712,
     .c2c_links = 5,
     .pcie = 5,
     .pairs = 0,
     .nic = "Mellanox ConnectX-7",
     .nic_rate = "4xNDR",
     .nics = 4},
    // A compute tray of GB300 NVL72: GB300 and ConnectX-8 of 800 Gb/s (NVIDIA GB300 NVL72 data sheet), the rest as of GB200
    // NVL72.
    {.name = "gb300-nvl72",
     .machine = "NVIDIA GB300 NVL72 compute tray",
     .architecture = "aarch64",
     .processor = "Neoverse-V2",
     .cpu_link = 110,
     .memory = 511,
     .gpu = "NVIDIA GB300",
     .capability = "10.3",
     .gpus = 4,
     .nvlink = 7,
     .nvlinks = "111111111111111111",
     .trays = 18,
     .c2c = 44.712,
     .c2c_links = 5,
     .pcie = 6,
     .pairs = 0,
     .nic = "Mellanox ConnectX-8",
     .nic_rate = "4xXDR",
     .nics = 4},
    // No GPU: ranks run in host memory, on one rank for each machine.
    {.name = "plain",
     .machine = "host",
     .architecture = "x86_64",
     .processor = "",
     .gpu = "",
     .capability = "",
     .nvlinks = "",
     .nic = "NIC",
     .nic_rate = "4xNDR",
     .nics = 1},
});

}  // namespace

const HostModel& host_model(std::string_view name) {
  const auto* const found = std::find_if(models.begin(), models.end(), [&](const HostModel& it) { return it.name == name; });
  if (found == models.end())
    throw Error(Fault::usage, fmt::format("host {}: there is no such model; there are {}", name, names_of_models()));
  return *found;
}

std::string names_of_models() {
  std::string names;
  for (const HostModel& it : models) names += fmt::format("{}{}", names.empty() ? "" : ", ", it.name);
  return names;
}

}  // namespace railgauge::topo

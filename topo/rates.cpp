// Tables of generations. NVLink: line rate as `nvidia-smi nvlink -s` shows it, nominal as NVIDIA states it, usable as pairs of
// GPUs have measured (nvbandwidth: 396.4 GB/s over 18 links of H200, 770 over those of GB200) and else as NCCL reckons
// (src/graph/topo.h), which takes some 80 % of nominal for payloads of 128 bytes.
#include "topo/rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace railgauge::topo {
namespace {

struct PcieGeneration {
  double speed;    // gigatransfers per second and lane
  double payload;  // of the bits on a lane: 8b/10b, 128b/130b, then flits of 256 bytes with 242 of them for packets
};
constexpr auto pcie_generations = std::to_array<PcieGeneration>({
    {2.5, 8.0 / 10},
    {5, 8.0 / 10},
    {8, 128.0 / 130},
    {16, 128.0 / 130},
    {32, 128.0 / 130},
    {64, 242.0 / 256},
    {128, 242.0 / 256},
});
// Packets of 256 bytes with their headers, acknowledgements and credits; sound machines copy at 0.82 to 0.88.
constexpr double pcie_usable = 0.875;

constexpr auto nvlink_generations = std::to_array<NvlinkGeneration>({
    {"1.0", 1, {8, 20}, {20, 20, 18}},
    {"2.0", 2, {8, 25.78125}, {25.78125, 25, 20}},
    {"2.2", 3, {8, 25.78125}, {25.78125, 25, 20}},
    {"3.0", 4, {4, 50}, {25, 25, 20}},
    {"3.1", 5, {4, 50}, {25, 25, 20}},
    {"4.0", 6, {2, 106.25}, {26.5625, 25, 22}},
    {"5.0", 7, {2, 212.5}, {53.125, 50, 42.7}},
    {"6.0", 8, {0, 0}, {0, 50, 40.1}},
});
constexpr NvlinkGeneration slower{"3.1", 5, {4, 28.125}, {14.0625, 14.0625, 12}};  // of the GA102

struct Capability {
  unsigned major, minor, nvml;
};
constexpr auto capabilities = std::to_array<Capability>(
    {{6, 0, 1}, {7, 0, 2}, {7, 2, 3}, {7, 5, 3}, {8, 0, 4}, {8, 6, 5}, {9, 0, 6}, {10, 0, 7}, {10, 3, 7}, {10, 7, 8}});

}  // namespace

Rate pcie_rate(unsigned generation, unsigned width) {
  const bool known = generation >= 1 && generation <= pcie_generations.size();
  return {width, known ? pcie_generations[generation - 1].speed : 0};
}

Bandwidth pcie_bandwidth(const Rate& rate) {
  const auto* const row = std::find_if(pcie_generations.begin(), pcie_generations.end(),
                                       [&](const PcieGeneration& it) { return std::abs(it.speed - rate.speed) < 0.01; });
  if (row == pcie_generations.end()) return {};
  const double line = row->speed * rate.width / 8;
  return {line, line * row->payload, line * row->payload * pcie_usable};
}

const NvlinkGeneration* nvlink_generation(unsigned nvml, unsigned major, unsigned minor) noexcept {
  if (nvml == 0) {
    const auto* const at = std::find_if(capabilities.begin(), capabilities.end(),
                                        [&](const Capability& it) { return it.major == major && it.minor == minor; });
    if (at == capabilities.end()) return nullptr;
    nvml = at->nvml;
  }
  if (major == 8 && minor == 6 && nvml >= 4 && nvml <= 5) return &slower;
  const auto* const at = std::find_if(nvlink_generations.begin(), nvlink_generations.end(),
                                      [&](const NvlinkGeneration& it) { return it.nvml == nvml; });
  return at == nvlink_generations.end() ? nullptr : at;
}

const NvlinkGeneration* nvlink_generation_at(double gigabytes) noexcept {
  const auto near = [&](double value) { return value > 0 && std::abs(value - gigabytes) < 0.01; };
  const auto fits = [&](const NvlinkGeneration& it) { return near(it.bandwidth.line) || near(it.bandwidth.nominal); };
  if (fits(slower)) return &slower;
  const auto* const at = std::find_if(nvlink_generations.begin(), nvlink_generations.end(), fits);
  return at == nvlink_generations.end() ? nullptr : at;
}

}  // namespace railgauge::topo

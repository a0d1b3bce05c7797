// Energy, clocks and throttling of this machine's processors, as the kernel tells them: RAPL below /sys/class/powercap, cpufreq
// and thermal_throttle below /sys/devices/system/cpu.
#pragma once

#include <filesystem>
#include <vector>

#include "topo/evidence/power_reading.hpp"

namespace railgauge::topo {

// Each adds to `into` what there is, and to its list `absent` what there is not. `root` holds another machine's /sys; empty: this
// one's. None throws.

// The domains package and dram of RAPL, which Intel's and AMD's processors have. Not core and uncore, which are parts of a
// package, nor psys, which holds all of it.
void read_energy(PowerReading& into, const std::filesystem::path& root = {});

// The slowest and the fastest of these cores, by their numbers. Some kernels wait 10 ms for each core that is idle.
void read_core_clocks(PowerReading& into, const std::vector<int>& cores, const std::filesystem::path& root = {});

// How often each of these cores, and their packages, were slowed down because of heat, and for how long where the kernel tells.
void read_core_throttling(PowerReading& into, const std::vector<int>& cores, const std::filesystem::path& root = {});

}  // namespace railgauge::topo

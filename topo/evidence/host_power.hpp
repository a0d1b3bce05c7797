// Energy, clocks and throttling of this machine's processors, from the kernel: RAPL below /sys/class/powercap, cpufreq and
// thermal_throttle below /sys/devices/system/cpu.
#pragma once

#include <filesystem>
#include <vector>

#include "topo/evidence/power_reading.hpp"

namespace railgauge::topo {

// Each function adds its values to `into`, and the unavailable ones to `into.absent`. `root` is a folder with another machine's
// /sys; empty: this machine's. None throws.

// RAPL's domains package and dram, of Intel's and AMD's processors. Not core and uncore, which are parts of a package, nor psys,
// which contains all of them.
void read_energy(PowerReading& into, const std::filesystem::path& root = {});

// The lowest and the highest clock of the cores with these numbers. Some kernels wait 10 ms for each idle core.
void read_core_clocks(PowerReading& into, const std::vector<int>& cores, const std::filesystem::path& root = {});

// How often heat throttled each of these cores and their packages, and for how long where the kernel counts that.
void read_core_throttling(PowerReading& into, const std::vector<int>& cores, const std::filesystem::path& root = {});

}  // namespace railgauge::topo

// How much memory this process may still take before the kernel kills somebody.
#pragma once

#include <cstddef>
#include <filesystem>

namespace railgauge::host {

// The least of MemAvailable and of what each memory limit above this process leaves (cgroup v1 and v2, as Slurm and containers
// set them; file pages that can be dropped count as free). The largest size_t when /proc does not say. `root` is where /proc and
// /sys are.
[[nodiscard]] std::size_t available_memory(const std::filesystem::path& root = "/");

}  // namespace railgauge::host

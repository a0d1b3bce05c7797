// How much cache one rank can count on, and from where on writing past the caches is faster.
#pragma once

#include <cstddef>
#include <filesystem>

namespace railgauge::host {

// The last-level cache of CPU 0 divided by the CPUs that share it, in bytes; sysconf's word for it where `cpu`
// (/sys/devices/system/cpu/cpu0) has none; 1 MiB when it is unknown.
[[nodiscard]] std::size_t last_level_share(const std::filesystem::path& cpu = "/sys/devices/system/cpu/cpu0");

}  // namespace railgauge::host

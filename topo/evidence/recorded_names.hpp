// What a copy of /sys and /proc tells of the name and the system of its machine.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace railgauge::topo {

// Words of hwloc for them.
inline constexpr std::array<std::string_view, 5> names_of_machine{"HostName", "OSName", "OSRelease", "OSVersion", "Architecture"};

// By those words; what the recording does not tell is left out.
// hwloc-gather-topology keeps all in /proc/hwloc-nofile-info; else the kernel's own files tell them.
[[nodiscard]] std::map<std::string, std::string> recorded_names(const std::filesystem::path& root);

}  // namespace railgauge::topo

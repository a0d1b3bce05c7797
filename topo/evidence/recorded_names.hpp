// What a copy of /sys and /proc tells of the name and the system of its machine.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace railgauge::topo {

// By hwloc's words: "HostName", "OSName", "OSRelease", "OSVersion", "Architecture"; what the recording does not tell is left out.
// hwloc-gather-topology keeps all in /proc/hwloc-nofile-info; else the kernel's own files tell them.
[[nodiscard]] std::map<std::string, std::string> recorded_names(const std::filesystem::path& root);

}  // namespace railgauge::topo

// Collectors of this machine's evidence: one for each source, each in its own file.
#pragma once

#include <filesystem>
#include <string>

namespace railgauge::topo {

// The reading of a source. A source that has nothing on this machine gives an empty text and the reason: "libnvidia-ml.so.1:
// cannot open shared object file: No such file or directory".
struct Taken {
  std::string text;
  std::string reason;
};

// The machine as hwloc XML. `root` stands in front of /sys and /proc here and below; empty: this machine's own.
// Throws Error(usage) when hwloc fails or `root` has no folder sys.
[[nodiscard]] Taken collect_hwloc(const std::filesystem::path& root);

// NVIDIA's GPUs and their links, from the driver's management library: nvml.hpp.
[[nodiscard]] Taken collect_nvml(const std::filesystem::path& root);
// PCI functions and their links, from the kernel: topo/read/pcie.cpp documents the format.
[[nodiscard]] Taken collect_pcie(const std::filesystem::path& root);

// RDMA devices and their ports, from the kernel: topo/read/verbs.cpp documents the format.
[[nodiscard]] Taken collect_verbs(const std::filesystem::path& root);

}  // namespace railgauge::topo

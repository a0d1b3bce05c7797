// What is read of this machine: one collector a source, each in a file of its own.
#pragma once

#include <filesystem>
#include <string>

namespace railgauge::topo {

// What a source gave. A source without anything to say on this machine gives no text, and the reason: "libnvidia-ml.so.1: cannot
// open shared object file: No such file or directory".
struct Taken {
  std::string text;
  std::string reason;
};

// The machine as hwloc sees it, as hwloc XML.
[[nodiscard]] Taken collect_hwloc(const std::filesystem::path& root);

// NVIDIA's GPUs and their links as the driver's management library tells them: nvml.hpp.
[[nodiscard]] Taken collect_nvml(const std::filesystem::path& root);
// PCI functions and their links, from the kernel: topo/read/pcie.cpp has the form.
[[nodiscard]] Taken collect_pcie(const std::filesystem::path& root);

// RDMA devices and their ports, from the kernel: topo/read/verbs.cpp has the form.
[[nodiscard]] Taken collect_verbs(const std::filesystem::path& root);

}  // namespace railgauge::topo

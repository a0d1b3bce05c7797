// Chooses the memory of the buffers of a program of nccl-tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/device/registry.hpp"

namespace railgauge::nccl_tests {

struct Buffers {
  ChosenDevice device;
  std::string why_host;  // why no GPU is used; empty where one is
};

// `asked`: "cuda", "pinned", "managed" or "host" (RAILGAUGE_MEMORY); empty: GPUs where this machine has one. `devices`: numbers
// of the GPUs for the ranks; empty: all. Calls the driver in a child process, since this process must be able to fork later.
// Throws Error(usage) for any other value, and for GPUs that do not exist.
[[nodiscard]] Buffers choose_buffers(const std::string& asked, const std::vector<std::string>& devices,
                                     const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace railgauge::nccl_tests

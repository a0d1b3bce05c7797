// Where the ranks of a program of nccl-tests have their buffers.
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
// of GPUs that ranks take, all where it is empty. Asks the driver in a process of its own, since this one could not be forked
// after that. Throws Error(usage) for anything else, and for GPUs that were asked for and are not there.
[[nodiscard]] Buffers choose_buffers(const std::string& asked, const std::vector<std::string>& devices,
                                     const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace railgauge::nccl_tests

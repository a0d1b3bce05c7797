// What the features of railgauge are asked about: a machine as its files, its limits and its loader tell. Tests make one up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"

namespace railgauge::doctor {

enum class Family : std::uint8_t { debian, redhat, suse, other };  // which package manager a distribution has

struct PluginState {
  bool built = false;  // there is a file of it
  std::string reason;  // why it cannot be loaded; empty where it can
};

struct Machine {
  std::filesystem::path root = "/";                           // proc, sys, dev and etc are read below it
  std::function<std::string(std::string_view file)> library;  // why the loader cannot load it; empty where it can
  std::function<PluginState(std::string_view name)> plugin;   // of railgauge
  std::function<bool(std::string_view name)> program;         // whether PATH has it
  std::function<std::uint64_t(const std::filesystem::path&)> file_system_bytes;  // 0: there is none
  std::optional<std::uint64_t> locked_memory;  // that a process may have, in bytes; nothing: no limit
  bool charts = false;                         // reports of this build have them
  int cuda_major = 0;                          // of the CUDA that this build has; 0: none
};

// This machine. `environment` has PATH.
[[nodiscard]] Machine this_machine(const std::vector<std::filesystem::path>& plugin_folders, const Environment& environment);

// "Debian GNU/Linux 12 (bookworm)" and how packages are installed there, from etc/os-release.
struct Distribution {
  std::string name = "unknown";
  Family family = Family::other;
};
[[nodiscard]] Distribution distribution_of(const std::filesystem::path& root);

// The first line of a file below the root without the blanks around it; nothing where it cannot be read.
[[nodiscard]] std::optional<std::string> line_of(const Machine& machine, std::string_view file);
// The paths of what a folder below the root holds, sorted; none where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const Machine& machine, std::string_view folder);

}  // namespace railgauge::doctor

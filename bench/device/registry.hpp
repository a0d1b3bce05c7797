// Which devices there are on this machine, and why there are none of a kind.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/device/table.hpp"

namespace railgauge {

struct KnownDevice {
  std::string name;     // "host", "cuda:0"; of those that are unavailable the name of the kind: "cuda"
  std::string summary;  // what it is; empty when it is unavailable
  std::string reason;   // why it is unavailable; empty when it can be used
};

// What a plugin of devices has; null with the reason where there is no such plugin or no device of it.
struct KnownDeviceTable {
  const char* name = "";
  const DeviceTable* table = nullptr;
  std::string reason;
};

// Why a plugin is missing that was not found: also why it was not built, where it was not.
[[nodiscard]] std::string why_missing(std::string_view not_found, std::string_view not_built);

// One for each plugin. Asks the drivers, so that this process cannot be forked any more.
[[nodiscard]] std::vector<KnownDeviceTable> device_tables(const std::vector<std::filesystem::path>& plugin_folders);

// The host first, then those of each plugin, or one line that says why it has none.
[[nodiscard]] std::vector<KnownDevice> known_devices(const std::vector<std::filesystem::path>& plugin_folders);

// Where the buffers of a run are, and who reduces them.
struct ChosenDevice {
  const DeviceTable* table = nullptr;  // null: the host
  MemoryKind memory = MemoryKind::host;
  const char* memory_name = "host";  // as --memory has it
  // Numbers ("0") or UUIDs, or how those begin ("GPU-7a"), of the devices that the ranks of a host take round-robin; empty: all.
  std::vector<std::string> wanted;
};

// `memory`: "host", "cuda", "pinned" or "managed". Loads the plugin and asks no driver, since a process that has asked one cannot
// be forked any more. Throws Error(usage) that says what there is.
[[nodiscard]] ChosenDevice choose_device(const std::string& memory, const std::vector<std::string>& wanted,
                                         const std::vector<std::filesystem::path>& plugin_folders);

// Which of `rows` the rank with this number on its host takes. Throws Error(usage) for a device that is not among them.
[[nodiscard]] int number_of(const std::vector<std::string>& wanted, const std::vector<DeviceRow>& rows, int rank_of_host);
// The device of the rank with this number on its host. Throws Error(usage) that says why there is none.
[[nodiscard]] std::unique_ptr<Device> open_device(const ChosenDevice& chosen, int rank_of_host);

}  // namespace railgauge

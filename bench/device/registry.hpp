// The devices on this machine, and the reasons why a kind of device is unavailable.
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

// The table of a device plugin; null, with the reason, where the plugin is missing or finds no device.
struct KnownDeviceTable {
  const char* name = "";
  const DeviceTable* table = nullptr;
  std::string reason;
};

// The reason why a plugin is missing: that it was not found, or why it was not built.
[[nodiscard]] std::string why_missing(std::string_view not_found, std::string_view not_built);

// One for each plugin. Calls the drivers, after which this process must not fork.
[[nodiscard]] std::vector<KnownDeviceTable> device_tables(const std::vector<std::filesystem::path>& plugin_folders);

// The host first, then those of each plugin, or one line that says why it has none.
[[nodiscard]] std::vector<KnownDevice> known_devices(const std::vector<std::filesystem::path>& plugin_folders);

// The device that holds the buffers of a run and reduces them.
struct ChosenDevice {
  const DeviceTable* table = nullptr;  // null: the host
  MemoryKind memory = MemoryKind::host;
  const char* memory_name = "host";  // as --memory has it
  // Numbers ("0") or UUIDs, or how those begin ("GPU-7a", "MIG-7a"), of the devices that the ranks of a host take round-robin;
  // empty: all.
  std::vector<std::string> wanted;
};

// `memory`: "host", "cuda", "pinned" or "managed". Loads the plugin and calls no driver, since a process that has called one
// must not fork. Throws Error(usage) that lists the devices.
[[nodiscard]] ChosenDevice choose_device(const std::string& memory, const std::vector<std::string>& wanted,
                                         const std::vector<std::filesystem::path>& plugin_folders);

// The index into `rows` of the device for the rank with this number on its host. Throws Error(usage) for a wanted device that is
// not in `rows`.
[[nodiscard]] int number_of(const std::vector<std::string>& wanted, const std::vector<DeviceRow>& rows, int rank_of_host);
// Opens the device of the rank with this number on its host. Throws Error(usage) with the reason why it is unavailable.
[[nodiscard]] std::unique_ptr<Device> open_device(const ChosenDevice& chosen, int rank_of_host);

}  // namespace railgauge

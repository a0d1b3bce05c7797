// Which devices there are on this machine, and why there are none of a kind.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/table.hpp"

namespace railgauge {

struct KnownDevice {
  std::string name;     // "host", "cuda:0"; of those that are unavailable the name of the kind: "cuda"
  std::string summary;  // what it is; empty when it is unavailable
  std::string reason;   // why it is unavailable; empty when it can be used
};

// The host first, then those of each plugin, or one line that says why it has none.
[[nodiscard]] std::vector<KnownDevice> known_devices(const std::vector<std::filesystem::path>& plugin_folders);

// Where the buffers of a run are, and who reduces them.
struct ChosenDevice {
  const DeviceTable* table = nullptr;  // null: the host
  MemoryKind memory = MemoryKind::host;
  std::optional<int> number;  // of the device, for all ranks of a host; empty: each has the next one
};

// `memory`: "host", "cuda", "pinned" or "managed". Loads the plugin and asks no driver, since a process that has asked one cannot
// be forked any more. Throws Error(usage) that says what there is.
[[nodiscard]] ChosenDevice choose_device(const std::string& memory, std::optional<int> number,
                                         const std::vector<std::filesystem::path>& plugin_folders);

// The device of the rank with this number on its host. Throws Error(usage) that says why there is none.
[[nodiscard]] std::unique_ptr<Device> open_device(const ChosenDevice& chosen, int rank_of_host);

}  // namespace railgauge

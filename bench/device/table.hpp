// The table that a device plugin returns by its one exported function, railgauge_device; static storage of the plugin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/plugin.hpp"
#include "bench/device/device.hpp"

namespace railgauge {

// One device that can be used on this machine.
struct DeviceRow {
  std::string name;     // as it is chosen: "cuda:0"
  std::string summary;  // what it is: "NVIDIA H200, 150.1 GB, compute capability 9.0, PCI 0000:1b:00.0, GPU-7a..."
  std::string model;    // "NVIDIA H200"
  std::string address;  // on PCI: "0000:1b:00"
  std::size_t bytes = 0;
  std::string key;  // Device::key()
};

struct DeviceTable {
  std::uint32_t abi = plugin_abi;
  const char* name = "";
  std::size_t most_operands = 0;  // sources or targets of one reduction; 0: any number
  // The reason why there is no device ("libcuda.so.1: cannot open shared object file"); an empty text where there is one.
  const char* (*missing)() noexcept = nullptr;
  // Lists the devices in the order of their numbers. Throws Error(usage) that names the call.
  std::vector<DeviceRow> (*list)() = nullptr;
  // Opens device number `device` with memory of `kind`, which is not MemoryKind::host. Throws Error(usage).
  std::unique_ptr<Device> (*open)(int device, MemoryKind kind) = nullptr;
  const struct CopyTable* copies = nullptr;  // bench/device/copies.hpp; null where it has none
};

}  // namespace railgauge

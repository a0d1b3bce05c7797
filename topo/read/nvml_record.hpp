// The content of nvml.json as plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

using NvmlNumber = std::optional<std::uint64_t>;  // nothing where NVML gave no answer
using NvmlFields = std::map<unsigned, std::uint64_t>;

struct NvmlLink {
  unsigned link = 0;
  NvmlNumber state, version, remote_type, remote_device;
  std::string remote;  // PCI bus id as NVML writes it
  Counters errors;
  NvmlFields fields;
};

struct NvmlFabric {
  NvmlNumber state, status, clique, health_mask, health_summary;
  std::string cluster;  // 32 hexadecimal digits
};

struct NvmlPlatform {
  std::string chassis;
  NvmlNumber slot, tray, host, module;
};

struct NvmlPartition {
  std::string name, uuid;
  NvmlNumber gpu_instance, compute_instance;
};

struct NvmlDevice {
  std::string name, uuid, serial, bus_id;
  unsigned major = 0, minor = 0;  // compute capability
  NvmlNumber memory_bytes, memory_numa, mig;
  NvmlNumber generation, width, max_generation, max_width, gpu_max_generation, replays;  // PCIe
  std::vector<std::uint64_t> near_numa;
  NvmlFields fields;
  std::vector<NvmlFields> c2c;
  std::vector<NvmlLink> links;
  std::vector<NvmlPartition> partitions;
  std::optional<NvmlFabric> fabric;
  std::optional<NvmlPlatform> platform;
};

using NvmlMatrix = std::vector<std::vector<NvmlNumber>>;  // [device][device]

struct NvmlRecord {
  std::string host, driver, nvml, fault;
  NvmlNumber cuda;
  std::vector<NvmlDevice> devices;
  NvmlMatrix may_read, may_write;  // empty when peer access was not queried
};

// Throws Error(usage) as read_nvml() does.
[[nodiscard]] NvmlRecord read_nvml_record(const Reading&);

}  // namespace railgauge::topo

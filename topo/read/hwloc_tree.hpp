// hwloc XML of any version as objects of one form, that of version 3: memory and devices hang beside processors, not among them.
// Not libhwloc's import, which crashes on files that hwloc did not write (docs/topology.md, "Evidence and graph").
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topo/evidence/evidence.hpp"
#include "topo/read/hwloc_set.hpp"

namespace railgauge::topo {

enum class HwlocType : std::uint8_t {
  machine,
  package,
  core,
  thread,
  cache,  // of data, or of both
  group,  // and all else that holds processors
  numa,
  memory_cache,
  bridge,
  pci_device,
  os_device,
  skipped,  // holds no processors, no memory and no device: hwloc's Misc
};

// What the operating system's device does; one can do several.
struct HwlocUse {
  bool storage = false, gpu = false, coprocessor = false, network = false, verbs = false;
};

struct HwlocPci {
  std::uint32_t domain = 0;
  unsigned bus = 0, device = 0, function = 0;
  std::uint16_t device_class = 0, vendor_id = 0, device_id = 0, subsystem_vendor_id = 0, subsystem_id = 0;
  double link_speed = 0;  // GB/s; 0 is unknown
};

struct HwlocBridge {
  bool above_is_pci = false;  // else it is where a PCIe tree begins
  std::uint32_t domain = 0;
  unsigned first_bus = 0, last_bus = 0;  // below it
};

using HwlocInfos = std::vector<std::pair<std::string, std::string>>;

struct HwlocObject {
  HwlocType type = HwlocType::group;
  unsigned level = 0;  // of a cache
  HwlocObject* parent = nullptr;
  std::vector<HwlocObject*> children, memory, devices;
  std::optional<std::uint64_t> os_index;
  std::uint64_t gp_index = 0;
  std::string name, subtype;
  HwlocSet processors, complete, nodes;  // complete: with processors that are not at hand
  std::uint64_t bytes = 0;               // of a cache, or of a NUMA node
  HwlocPci pci;
  HwlocBridge bridge;
  HwlocUse use;
  HwlocInfos infos;
};

// values[i * objects.size() + j] is from i to j. An object that is not in the file, or not at hand, is nullptr.
struct HwlocMatrix {
  std::string name;
  bool latency = false;
  std::vector<HwlocObject*> objects;
  std::vector<std::uint64_t> values;
};

struct HwlocBandwidth {
  const HwlocObject* memory = nullptr;
  HwlocSet processors;
  std::uint64_t mebibytes_per_second = 0;
};

struct HwlocTree {
  std::deque<HwlocObject> objects;  // owns; every pointer points in here
  HwlocObject* root = nullptr;
  HwlocInfos infos;  // of the whole, from version 3 on
  std::vector<HwlocMatrix> matrices;
  std::vector<HwlocBandwidth> bandwidths;
};

// "" when there is none.
[[nodiscard]] std::string_view hwloc_info(const HwlocInfos& infos, std::string_view name);

// Reads what check_hwloc_xml has passed. Processors and memory that hwloc was told not to use are left out, as hwloc does. Throws
// Error(usage) "ORIGIN:LINE: ..." where a matrix has not the numbers that it promises.
[[nodiscard]] HwlocTree read_hwloc_tree(const Reading& reading);

}  // namespace railgauge::topo

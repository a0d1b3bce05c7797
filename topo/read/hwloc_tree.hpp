// hwloc XML of any version as objects in the form of version 3: memory and devices are beside processors, not among them. Does
// not use libhwloc's import, which crashes on files that hwloc did not write (docs/topology.md, "Evidence and graph").
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
  cache,  // data or unified
  group,  // and any other object with processors
  numa,
  memory_cache,
  bridge,
  pci_device,
  os_device,
  skipped,  // has no processors, memory or device: hwloc's Misc
};

// The functions of an operating system's device, which can have several.
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
  bool above_is_pci = false;  // false: a host bridge, the root of a PCIe tree
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
  HwlocSet processors, complete, nodes;  // complete: with processors that are not available
  std::uint64_t bytes = 0;               // of a cache, or of a NUMA node
  HwlocPci pci;
  HwlocBridge bridge;
  HwlocUse use;
  HwlocInfos infos;
};

// values[i * objects.size() + j] is from object i to object j. An object that is missing in the file or unavailable is nullptr.
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
  std::deque<HwlocObject> objects;  // owns all objects; every HwlocObject pointer points to one of these
  HwlocObject* root = nullptr;
  HwlocInfos infos;  // of the topology, since version 3
  std::vector<HwlocMatrix> matrices;
  std::vector<HwlocBandwidth> bandwidths;
};

// The value of the info with that name; "" when there is none.
[[nodiscard]] std::string_view hwloc_info(const HwlocInfos& infos, std::string_view name);

// Reads XML that check_hwloc_xml() has accepted. Leaves out processors and memory that are not allowed, as hwloc does. Throws
// Error(usage) "ORIGIN:LINE: ..." when the number of a matrix's values differs from its declared size.
[[nodiscard]] HwlocTree read_hwloc_tree(const Reading& reading);

}  // namespace railgauge::topo

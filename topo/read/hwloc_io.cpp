// From hwloc XML to the graph: PCIe roots, bridges and devices, and what the operating system calls them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topo/pci.hpp"
#include "topo/read/hwloc_document.hpp"
#include "topo/read/hwloc_walk.hpp"

namespace railgauge::topo {
namespace {

std::string text_in(const HwlocObject& object, std::string_view name) { return std::string(hwloc_info(object.infos, name)); }

// hwloc's number of a verbs port's state; 0 of the kernel is "no change" and never seen.
std::string port_state(std::string_view state) {
  constexpr auto words = std::to_array<std::string_view>({"unknown", "down", "init", "armed", "active", "active deferred"});
  const std::uint64_t n = hwloc_number(state);
  return std::string(words[n < words.size() ? n : 0]);
}

constexpr unsigned most_ports_told = 32;

struct Ports {
  std::string device;  // "mlx5_0"
  const HwlocObject* object;
};

struct Copied {
  const char *info, *attribute;
};
constexpr auto texts = std::to_array<Copied>({
    {"NVIDIAUUID", "uuid"},
    {"AMDUUID", "uuid"},
    {"LevelZeroUUID", "uuid"},
    {"NVIDIASerial", "serial"},
    {"AMDSerial", "serial"},
    {"SerialNumber", "serial"},
    {"GPUModel", "model"},
    {"Model", "model"},
    {"XGMIHiveID", "xgmi_hive"},
    {"NodeGUID", "node_guid"},
    {"SysImageGUID", "sys_image_guid"},
});
struct Scaled {
  const char *info, *attribute;
  std::uint64_t factor;
};
constexpr auto numbers = std::to_array<Scaled>({
    {"CUDAGlobalMemorySize", "memory_bytes", 1024},
    {"RSMIVRAMSize", "memory_bytes", 1024},
    {"OpenCLGlobalMemorySize", "memory_bytes", 1024},
    {"CUDAMultiProcessors", "multiprocessors", 1},
    {"OpenCLComputeUnits", "multiprocessors", 1},
});

class Devices {
 public:
  explicit Devices(HwlocWalk& walk) : walk_(walk) { find_memory(*walk.tree.root); }

  // Objects of processors and memory, to find the devices near them.
  void visit(const HwlocObject& object) {
    if (!object.devices.empty()) {
      const std::string near = place(object);
      for (const HwlocObject* it : object.devices) device(*it, near);
    }
    for (const HwlocObject* it : object.children) visit(*it);
  }

 private:
  void find_memory(const HwlocObject& object) {
    if (object.type == HwlocType::numa && object.os_index) numa_.try_emplace(*object.os_index, &object);
    for (const HwlocObject* it : object.memory) find_memory(*it);
    for (const HwlocObject* it : object.children) find_memory(*it);
  }

  // The nearest node that holds all of `object`: its NUMA node where there is one, else its package, else the machine.
  std::string place(const HwlocObject& object) {
    for (const HwlocObject* it = &object; !it->memory.empty();) {
      it = it->memory.front();
      if (it->type == HwlocType::numa && walk_.keys.contains(it)) return walk_.keys[it];
    }
    if (object.nodes.size() == 1)
      if (const auto numa = numa_.find(object.nodes.first()); numa != numa_.end()) return walk_.keys[numa->second];
    for (const HwlocObject* it = &object; it != nullptr; it = it->parent)
      if (walk_.keys.contains(it)) return walk_.keys[it];
    return "machine";
  }

  void device(const HwlocObject& object, const std::string& parent) {
    if (object.type == HwlocType::os_device) {
      free_device(object, parent);
    } else if (object.type == HwlocType::pci_device) {
      pci_device(object, parent);
    } else {
      const std::string key = bridge(object, parent);
      for (const HwlocObject* it : object.devices) device(*it, key);
    }
  }

  std::string bridge(const HwlocObject& object, const std::string& parent) {
    const HwlocBridge& below = object.bridge;
    const std::string buses = fmt::format("{:02x}-{:02x}", below.first_bus, below.last_bus);
    if (!below.above_is_pci) {
      const std::string bus = fmt::format("{:04x}:{:02x}", below.domain, below.first_bus);
      Node& node = walk_.add(&object, Kind::pci_root, "pci" + bus, parent);
      node.name = "PCIe root " + bus;
      put(node.attributes, "buses", buses);
      std::string key = node.key;
      walk_.link(parent, key, LinkKind::internal, 0);
      return key;
    }
    // A bridge under a bridge that has bridges below is the upstream port of a switch.
    const HwlocObject* above = object.parent;
    const bool upstream = above != nullptr && above->type == HwlocType::bridge && above->bridge.above_is_pci;
    const bool fans_out = std::any_of(object.devices.begin(), object.devices.end(),
                                      [](const HwlocObject* it) { return it->type == HwlocType::bridge; });
    std::string key = pci(object, upstream && fans_out ? Kind::pci_switch : Kind::pci_bridge, parent);
    put(walk_.graph.nodes.back().attributes, "buses", buses);
    return key;
  }

  std::string pci(const HwlocObject& object, Kind kind, const std::string& parent) {
    const HwlocPci& pci = object.pci;
    Node& node =
        walk_.add(&object, kind, fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.device, pci.function), parent);
    node.name = pci_name({pci.device_class, pci.vendor_id, pci.device_id}, hwloc_info(object.infos, "PCIVendor"),
                         hwloc_info(object.infos, "PCIDevice"));
    node.attributes["pci_class"] = fmt::format("{:04x}", pci.device_class);
    node.attributes["pci_id"] = fmt::format("{:04x}:{:04x}", pci.vendor_id, pci.device_id);
    node.attributes["pci_subsystem"] = fmt::format("{:04x}:{:04x}", pci.subsystem_vendor_id, pci.subsystem_id);
    put(node.attributes, "pci_class_name", std::string(pci_class_word(pci.device_class)));
    put(node.attributes, "pci_slot", text_in(object, "PCISlot"));
    put(node.attributes, "vendor", text_in(object, "PCIVendor"));
    put(node.attributes, "device", text_in(object, "PCIDevice"));
    std::string key = node.key;
    walk_.link(parent, key, LinkKind::pcie, pci.link_speed);
    return key;
  }

  void pci_device(const HwlocObject& object, const std::string& parent) {
    Kind kind = pci_kind({object.pci.device_class, object.pci.vendor_id, object.pci.device_id});
    if (object.subtype == "NVSwitch") kind = Kind::nvswitch;  // hwloc knows it from NVML, also where PCI tells nothing
    const std::string key = pci(object, kind, parent);
    std::vector<Ports> ports;
    Node& node = walk_.graph.nodes.back();
    for (const HwlocObject* it : object.devices) {
      if (it->type != HwlocType::os_device) continue;
      describe(*it, node, ports);
      walk_.keys[it] = key;
    }
    if (const std::string_view model = text_of(node.attributes, "model"); node.kind == Kind::gpu && !model.empty())
      node.name = model;
    add_ports(ports, key);
  }

  // What the operating system calls a device goes to the node of the device.
  static void describe(const HwlocObject& object, Node& node, std::vector<Ports>& ports) {
    const std::string& name = object.name;
    Attributes& attributes = node.attributes;
    if (object.use.storage) {
      append(attributes, "blocks", name);
      const std::uint64_t before = number_of(attributes, "size_bytes");
      put(attributes, "size_bytes", before + hwloc_number(hwloc_info(object.infos, "Size")) * 1024);
      if (node.kind == Kind::device) node.kind = Kind::storage;
    } else if (object.use.verbs) {
      append(attributes, "verbs", name);
      ports.push_back({name, &object});
      if (node.kind == Kind::device) node.kind = Kind::nic;
    } else if (object.use.network) {
      append(attributes, "interfaces", name);
      append(attributes, "addresses", text_in(object, "Address"));
      if (node.kind == Kind::device) node.kind = Kind::nic;
    } else {
      append(attributes, "os_devices", name);
    }
    for (const Copied& it : texts)
      if (!attributes.contains(it.attribute)) put(attributes, it.attribute, text_in(object, it.info));
    for (const Scaled& it : numbers)
      if (!attributes.contains(it.attribute))
        put(attributes, it.attribute, hwloc_number(hwloc_info(object.infos, it.info)) * it.factor);
  }

  void add_ports(const std::vector<Ports>& all, const std::string& parent) {
    for (const Ports& it : all) {
      const HwlocInfos& infos = it.object->infos;
      const std::string guid = guid_key(hwloc_info(infos, "NodeGUID"));
      for (unsigned n = 1; n <= most_ports_told; ++n) {
        const std::string head = fmt::format("Port{}", n);
        const std::string_view state = hwloc_info(infos, head + "State");
        const std::string_view lid = hwloc_info(infos, head + "LID");
        if (state.empty() && lid.empty()) break;
        Node& node = walk_.add(nullptr, Kind::port, fmt::format("{}/{}", guid.empty() ? "os:" + it.device : guid, n), parent);
        node.name = fmt::format("{}/{}", it.device, n);
        put(node.attributes, "state", state.empty() ? std::string() : port_state(state));
        put(node.attributes, "lid", std::string(lid));
        put(node.attributes, "gid", std::string(hwloc_info(infos, head + "GID0")));
        const std::string key = node.key;
        walk_.link(parent, key, LinkKind::internal, 0);
      }
    }
  }

  // A device of the operating system whose PCI device is unknown, or that has none.
  void free_device(const HwlocObject& object, const std::string& parent) {
    const std::string name = object.name.empty() ? "device" : object.name;
    Kind kind = Kind::device;
    if (object.use.coprocessor) kind = Kind::accelerator;
    if (object.use.gpu) kind = Kind::gpu;
    std::vector<Ports> ports;
    Node& node = walk_.add(&object, kind, "os:" + name, parent);
    node.name = name;
    describe(object, node, ports);
    const std::string key = node.key;
    add_ports(ports, key);
  }

  HwlocWalk& walk_;
  std::unordered_map<std::uint64_t, const HwlocObject*> numa_;  // by the kernel's numbers
};

}  // namespace

void add_hwloc_io(HwlocWalk& walk) { Devices(walk).visit(*walk.tree.root); }

}  // namespace railgauge::topo

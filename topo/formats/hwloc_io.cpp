// From hwloc XML to the graph: PCIe roots, bridges and devices, and what the operating system calls them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "topo/formats/hwloc_walk.hpp"
#include "topo/formats/pci.hpp"

namespace railgauge::topo {
namespace {

using PciAttributes = hwloc_obj_attr_u::hwloc_pcidev_attr_s;
using BridgeAttributes = hwloc_obj_attr_u::hwloc_bridge_attr_s;

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "GP100GL [Tesla P100 PCIe 16GB]" is a Tesla P100 PCIe 16GB to everyone but its maker. Other makers put other things in
// brackets.
std::string model_in(const std::string& device, std::uint16_t vendor) {
  constexpr auto makers = std::to_array<std::uint16_t>({0x10de, 0x1002, 0x15b3});  // NVIDIA, AMD, Mellanox
  const std::size_t open = device.rfind('[');
  const std::size_t close = device.rfind(']');
  const bool bracketed = open != std::string::npos && close != std::string::npos && open + 1 < close;
  if (!bracketed || std::find(makers.begin(), makers.end(), vendor) == makers.end()) return device;
  return device.substr(open + 1, close - open - 1);
}

std::string pci_name(hwloc_obj_t object, const PciAttributes& pci) {
  const std::string_view known = pci_vendor_word(pci.vendor_id);
  const std::string vendor = known.empty() ? hwloc_text(object, "PCIVendor") : std::string(known);
  std::string device = model_in(hwloc_text(object, "PCIDevice"), pci.vendor_id);
  if (device.empty()) {
    const std::string_view word = pci_class_word(pci.class_id);
    device = fmt::format("{}{}[{:04x}:{:04x}]", word, word.empty() ? "" : " ", pci.vendor_id, pci.device_id);
  }
  return vendor.empty() || device.starts_with(vendor) ? device : vendor + " " + device;
}

// hwloc's number of a verbs port's state; 0 of the kernel is "no change" and never seen.
std::string port_state(const std::string& state) {
  constexpr auto words = std::to_array<std::string_view>({"unknown", "down", "init", "armed", "active", "active deferred"});
  const std::uint64_t n = number(state);
  return std::string(words[n < words.size() ? n : 0]);
}

constexpr unsigned most_ports = 32;

struct Ports {
  std::string device;  // "mlx5_0"
  hwloc_obj_t object;
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
  explicit Devices(HwlocWalk& walk) : walk_(walk) {}

  // Objects of processors and memory, to find the devices near them.
  void visit(hwloc_obj_t object) {
    for (hwloc_obj_t it = object->io_first_child; it != nullptr; it = it->next_sibling) device(it, place(object));
    for (hwloc_obj_t it = object->first_child; it != nullptr; it = it->next_sibling) visit(it);
  }

 private:
  // The nearest node that holds all of `object`: its NUMA node where there is one, else its package, else the machine.
  std::string place(hwloc_obj_t object) {
    for (hwloc_obj_t it = object->memory_first_child; it != nullptr; it = it->memory_first_child)
      if (it->type == HWLOC_OBJ_NUMANODE && walk_.keys.contains(it)) return walk_.keys[it];
    if (object->nodeset != nullptr && hwloc_bitmap_weight(object->nodeset) == 1) {
      hwloc_obj* const numa =
          hwloc_get_numanode_obj_by_os_index(walk_.topology, static_cast<unsigned>(hwloc_bitmap_first(object->nodeset)));
      if (numa != nullptr && walk_.keys.contains(numa)) return walk_.keys[numa];
    }
    for (hwloc_obj_t it = object; it != nullptr; it = it->parent)
      if (walk_.keys.contains(it)) return walk_.keys[it];
    return "machine";
  }

  void device(hwloc_obj_t object, const std::string& parent) {
    std::string key = parent;
    if (object->type == HWLOC_OBJ_BRIDGE) key = bridge(object, parent);
    if (object->type == HWLOC_OBJ_PCI_DEVICE) key = pci_device(object, parent);
    if (object->type == HWLOC_OBJ_OS_DEVICE) {
      free_device(object, parent);
      return;
    }
    if (object->type == HWLOC_OBJ_PCI_DEVICE) return;
    for (hwloc_obj_t it = object->io_first_child; it != nullptr; it = it->next_sibling) device(it, key);
  }

  std::string bridge(hwloc_obj_t object, const std::string& parent) {
    const BridgeAttributes& attributes = object->attr->bridge;
    const auto& below = attributes.downstream.pci;
    if (attributes.upstream_type != HWLOC_OBJ_BRIDGE_PCI) {
      const std::string bus = fmt::format("{:04x}:{:02x}", below.domain, below.secondary_bus);
      Node& node = walk_.add(object, Kind::pci_root, "pci" + bus, parent);
      node.name = "PCIe root " + bus;
      put(node.attributes, "buses", fmt::format("{:02x}-{:02x}", below.secondary_bus, below.subordinate_bus));
      std::string key = node.key;
      walk_.link(parent, key, LinkKind::internal, 0);
      return key;
    }
    // A bridge under a bridge that has bridges below is the upstream port of a switch.
    const bool upstream = object->parent != nullptr && object->parent->type == HWLOC_OBJ_BRIDGE &&
                          object->parent->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
    bool fans_out = false;
    for (hwloc_obj_t it = object->io_first_child; it != nullptr; it = it->next_sibling)
      fans_out = fans_out || it->type == HWLOC_OBJ_BRIDGE;
    std::string key = pci(object, attributes.upstream.pci, upstream && fans_out ? Kind::pci_switch : Kind::pci_bridge, parent);
    put(walk_.graph.nodes.back().attributes, "buses", fmt::format("{:02x}-{:02x}", below.secondary_bus, below.subordinate_bus));
    return key;
  }

  std::string pci(hwloc_obj_t object, const PciAttributes& pci, Kind kind, const std::string& parent) {
    Node& node =
        walk_.add(object, kind, fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func), parent);
    node.name = pci_name(object, pci);
    node.attributes["pci_class"] = fmt::format("{:04x}", pci.class_id);
    node.attributes["pci_id"] = fmt::format("{:04x}:{:04x}", pci.vendor_id, pci.device_id);
    node.attributes["pci_subsystem"] = fmt::format("{:04x}:{:04x}", pci.subvendor_id, pci.subdevice_id);
    put(node.attributes, "pci_class_name", std::string(pci_class_word(pci.class_id)));
    put(node.attributes, "pci_slot", hwloc_text(object, "PCISlot"));
    put(node.attributes, "vendor", hwloc_text(object, "PCIVendor"));
    put(node.attributes, "device", hwloc_text(object, "PCIDevice"));
    std::string key = node.key;
    walk_.link(parent, key, LinkKind::pcie, static_cast<double>(pci.linkspeed));
    return key;
  }

  std::string pci_device(hwloc_obj_t object, const std::string& parent) {
    const PciAttributes& attributes = object->attr->pcidev;
    std::string key =
        pci(object, attributes, pci_kind({attributes.class_id, attributes.vendor_id, attributes.device_id}), parent);
    std::vector<Ports> ports;
    Node& node = walk_.graph.nodes.back();
    for (hwloc_obj_t it = object->io_first_child; it != nullptr; it = it->next_sibling) {
      if (it->type != HWLOC_OBJ_OS_DEVICE) continue;
      describe(it, node, ports);
      walk_.keys[it] = key;
    }
    if (const std::string_view model = text_of(node.attributes, "model"); node.kind == Kind::gpu && !model.empty())
      node.name = model;
    add_ports(ports, key);
    return key;
  }

  // What the operating system calls a device goes to the node of the device.
  void describe(hwloc_obj_t object, Node& node, std::vector<Ports>& ports) {
    const std::string name = object->name ? object->name : "";
    switch (object->attr->osdev.type) {
      case HWLOC_OBJ_OSDEV_BLOCK: {
        append(node.attributes, "blocks", name);
        const std::uint64_t before = number_of(node.attributes, "size_bytes");
        put(node.attributes, "size_bytes", before + number(hwloc_text(object, "Size")) * 1024);
        if (node.kind == Kind::device) node.kind = Kind::storage;
        break;
      }
      case HWLOC_OBJ_OSDEV_NETWORK:
        append(node.attributes, "interfaces", name);
        append(node.attributes, "addresses", hwloc_text(object, "Address"));
        if (node.kind == Kind::device) node.kind = Kind::nic;
        break;
      case HWLOC_OBJ_OSDEV_OPENFABRICS:
        append(node.attributes, "verbs", name);
        ports.push_back({name, object});
        if (node.kind == Kind::device) node.kind = Kind::nic;
        break;
      default:
        append(node.attributes, "os_devices", name);
        break;
    }
    for (const Copied& it : texts)
      if (!node.attributes.contains(it.attribute)) put(node.attributes, it.attribute, hwloc_text(object, it.info));
    for (const Scaled& it : numbers)
      if (!node.attributes.contains(it.attribute))
        put(node.attributes, it.attribute, number(hwloc_text(object, it.info)) * it.factor);
  }

  void add_ports(const std::vector<Ports>& all, const std::string& parent) {
    for (const Ports& it : all) {
      const std::string guid = guid_key(hwloc_text(it.object, "NodeGUID"));
      for (unsigned n = 1; n <= most_ports; ++n) {
        const std::string head = fmt::format("Port{}", n);
        const std::string state = hwloc_text(it.object, (head + "State").c_str());
        const std::string lid = hwloc_text(it.object, (head + "LID").c_str());
        if (state.empty() && lid.empty()) break;
        Node& node = walk_.add(nullptr, Kind::port, fmt::format("{}/{}", guid.empty() ? "os:" + it.device : guid, n), parent);
        node.name = fmt::format("{}/{}", it.device, n);
        put(node.attributes, "state", state.empty() ? state : port_state(state));
        put(node.attributes, "lid", lid);
        put(node.attributes, "gid", hwloc_text(it.object, (head + "GID0").c_str()));
        const std::string key = node.key;
        walk_.link(parent, key, LinkKind::internal, 0);
      }
    }
  }

  // A device of the operating system whose PCI device is unknown, or that has none.
  void free_device(hwloc_obj_t object, const std::string& parent) {
    const std::string name = object->name ? object->name : "device";
    Kind kind = Kind::device;
    if (object->attr->osdev.type == HWLOC_OBJ_OSDEV_GPU) kind = Kind::gpu;
    if (object->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC) kind = Kind::accelerator;
    std::vector<Ports> ports;
    Node& node = walk_.add(object, kind, "os:" + name, parent);
    node.name = name;
    describe(object, node, ports);
    const std::string key = node.key;
    add_ports(ports, key);
  }

  HwlocWalk& walk_;
};

}  // namespace

void add_hwloc_io(HwlocWalk& walk) { Devices(walk).visit(hwloc_get_root_obj(walk.topology)); }

}  // namespace railgauge::topo

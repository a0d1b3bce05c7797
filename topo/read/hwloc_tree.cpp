// Reads the objects of hwloc XML, and gives those of version 1 the form of version 3.
#include "topo/read/hwloc_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/error.hpp"
#include "topo/read/hwloc_document.hpp"

namespace railgauge::topo {
namespace {

struct TypeRow {
  std::string_view word;  // small letters
  HwlocType type;
};
constexpr auto types = std::to_array<TypeRow>({
    {"machine", HwlocType::machine},
    {"system", HwlocType::machine},
    {"package", HwlocType::package},
    {"socket", HwlocType::package},
    {"core", HwlocType::core},
    {"pu", HwlocType::thread},
    {"proc", HwlocType::thread},
    {"numanode", HwlocType::numa},
    {"node", HwlocType::numa},
    {"memcache", HwlocType::memory_cache},
    {"bridge", HwlocType::bridge},
    {"hostbridge", HwlocType::bridge},
    {"pcibridge", HwlocType::bridge},
    {"pcidev", HwlocType::pci_device},
    {"pci", HwlocType::pci_device},
    {"osdev", HwlocType::os_device},
    {"os", HwlocType::os_device},
    {"misc", HwlocType::skipped},
});

bool is_memory(HwlocType type) { return type == HwlocType::numa || type == HwlocType::memory_cache; }
bool is_device(HwlocType type) {
  return type == HwlocType::bridge || type == HwlocType::pci_device || type == HwlocType::os_device;
}

// "L2Cache", "L1iCache"; `level` 0 is none, and an instruction cache is a group.
unsigned level_of(std::string_view word) {
  if (word.size() < 2 || word[0] != 'l' || word[1] < '1' || word[1] > '9') return 0;
  const std::string_view rest = word.substr(2);
  return rest == "cache" || rest == "dcache" || rest == "ucache" || rest.empty() || rest == "d" || rest == "u"
             ? static_cast<unsigned>(word[1] - '0')
             : 0;
}

void set_type(HwlocObject& object, pugi::xml_node element) {
  std::string word = element.attribute("type").value();
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto row = std::find_if(types.begin(), types.end(), [&](const TypeRow& it) { return it.word == word; });
  if (row != types.end()) object.type = row->type;
  object.level = level_of(word);
  if (object.level != 0) object.type = HwlocType::cache;
  if (word != "cache") return;  // of version 1, with its level apart
  constexpr std::string_view instructions = "2";
  if (element.attribute("cache_type").value() == instructions) return;
  object.type = HwlocType::cache;
  object.level = static_cast<unsigned>(std::min<std::uint64_t>(hwloc_number(element.attribute("depth").value()), 9));
}

// False when `text` is not of this form.
bool read_address(const char* text, HwlocPci& pci) {
  return std::sscanf(text, "%x:%2x:%2x.%1x", &pci.domain, &pci.bus, &pci.device, &pci.function) == 4;
}

bool read_bridge(const char* text, HwlocBridge& bridge) {
  return std::sscanf(text, "%x:[%2x-%2x]", &bridge.domain, &bridge.first_bus, &bridge.last_bus) == 3;
}

// "0604 [8086:2030] [8086:0000] 04": class, device, subsystem, revision.
void read_type(const char* text, HwlocPci& pci) {
  unsigned device_class = 0;
  unsigned vendor = 0;
  unsigned device = 0;
  unsigned subsystem_vendor = 0;
  unsigned subsystem = 0;
  unsigned revision = 0;
  if (std::sscanf(text, "%8x [%4x:%4x] [%4x:%4x] %2x", &device_class, &vendor, &device, &subsystem_vendor, &subsystem,
                  &revision) != 6)
    return;
  pci.device_class = static_cast<std::uint16_t>(device_class);
  pci.vendor_id = static_cast<std::uint16_t>(vendor);
  pci.device_id = static_cast<std::uint16_t>(device);
  pci.subsystem_vendor_id = static_cast<std::uint16_t>(subsystem_vendor);
  pci.subsystem_id = static_cast<std::uint16_t>(subsystem);
}

// Version 3 has a bit for each use; before there was one number.
HwlocUse use_of(std::uint64_t number, unsigned version) {
  HwlocUse use;
  if (version >= 3) {
    use.storage = (number & 1U) != 0;
    use.gpu = (number & 4U) != 0;
    use.coprocessor = (number & 8U) != 0;
    use.network = (number & 16U) != 0;
    use.verbs = (number & 32U) != 0;
    return use;
  }
  use.storage = number == 0;
  use.gpu = number == 1;
  use.network = number == 2;
  use.verbs = number == 3;
  use.coprocessor = number == 5;
  return use;
}

class Objects {
 public:
  explicit Objects(HwlocDocument& document) : document_(document) {}

  void read(pugi::xml_node element, HwlocObject* parent) {
    HwlocObject& object = make(parent);
    set_type(object, element);
    if (object.type == HwlocType::machine && parent != nullptr) object.type = HwlocType::group;
    const bool usable = attributes(element, object);
    for (const pugi::xml_node child : element.children("info")) info(child, object);
    if (document_.version < 2) give_new_form(object);
    HwlocObject* const holder = usable ? attach(object) : parent;
    if (holder == nullptr) return;
    for (const pugi::xml_node child : element.children("object")) read(child, holder);
  }

 private:
  HwlocObject& make(HwlocObject* parent) {
    HwlocObject& object = document_.tree.objects.emplace_back();
    object.parent = parent;
    return object;
  }

  void info(pugi::xml_node element, HwlocObject& object) const {
    const std::string_view name = element.attribute("name").value();
    const char* value = element.attribute("value").value();
    if (document_.version < 2 && (name == "Type" || name == "CoProcType"))
      object.subtype = value;
    else
      object.infos.emplace_back(name, value);
  }

  // False when hwloc would leave the object out and keep what it holds.
  bool attributes(pugi::xml_node element, HwlocObject& object) const {
    bool usable = true;
    for (const pugi::xml_attribute it : element.attributes()) {
      const std::string_view name = it.name();
      const char* value = it.value();
      const bool pci = object.type == HwlocType::bridge || object.type == HwlocType::pci_device;
      if (name == "os_index") {
        const std::uint64_t number = hwloc_number(value);
        if (number < std::numeric_limits<std::uint32_t>::max()) object.os_index = number;
      } else if (name == "gp_index") {
        object.gp_index = hwloc_number(value);
      } else if (name == "id" && std::string_view(value).starts_with("obj")) {
        object.gp_index = hwloc_number(value + 3);
      } else if (name == "cpuset") {
        object.processors = HwlocSet(value);
      } else if (name == "complete_cpuset") {
        object.complete = HwlocSet(value);
      } else if (name == "nodeset") {
        object.nodes = HwlocSet(value);
      } else if (name == "name") {
        object.name = value;
      } else if (name == "subtype") {
        object.subtype = value;
      } else if ((name == "cache_size" && object.type == HwlocType::cache) || name == "local_memory") {
        object.bytes = *value == '-' ? 0 : hwloc_number(value);
      } else if (name == "memory_kB" && document_.version < 1) {
        object.bytes = hwloc_number(value) * 1024;
      } else if (name == "pci_busid" && pci) {
        usable = read_address(value, object.pci) && usable;
      } else if (name == "pci_type" && pci) {
        read_type(value, object.pci);
      } else if (name == "pci_link_speed" && pci) {
        object.pci.link_speed = static_cast<double>(std::strtof(value, nullptr));
      } else if (name == "bridge_type" && object.type == HwlocType::bridge) {
        object.bridge.above_is_pci = hwloc_number(value) == 1;
      } else if (name == "bridge_pci" && object.type == HwlocType::bridge) {
        usable = read_bridge(value, object.bridge) && usable;
      } else if (name == "osdev_type" && object.type == HwlocType::os_device) {
        object.use = use_of(hwloc_number(value), document_.version);
      }
    }
    return usable;
  }

  // Version 1 hung what holds processors under NUMA nodes.
  void give_new_form(HwlocObject& object) {
    if (object.parent != nullptr && object.parent->type == HwlocType::numa) object.parent = object.parent->parent;
    if (object.type == HwlocType::skipped && !object.processors.empty()) object.type = HwlocType::group;
    if (object.type != HwlocType::numa || object.parent == nullptr || object.complete == object.parent->complete) return;
    // Memory that has fewer processors than its holder gets a group of its own; memory without processors stands beside the
    // memory that it serves.
    if (object.complete.empty() && object.parent->memory.size() == 1 && object.subtype == "MCDRAM") {
      object.processors = object.parent->processors;
      return;
    }
    HwlocObject& group = make(object.parent);
    group.processors = object.processors;
    group.complete = object.processors;
    group.nodes = object.nodes;
    attach(group);
    object.parent = &group;
  }

  // Gives the object that holds what the file has inside this one; nullptr where nothing of it counts.
  HwlocObject* attach(HwlocObject& object) {
    if (object.type == HwlocType::skipped) return nullptr;
    if (object.gp_index != 0) document_.by_gp_index.try_emplace(object.gp_index, &object);
    if (object.type == HwlocType::numa) {
      document_.numa.push_back(&object);
      if (object.os_index) document_.numa_by_os_index.try_emplace(*object.os_index, &object);
    }
    HwlocTree& tree = document_.tree;
    if (object.parent == nullptr) {
      if (object.type != HwlocType::machine) {  // hwloc 1 could be told to leave the machine out
        HwlocObject& machine = make(nullptr);
        machine.type = HwlocType::machine;
        machine.processors = object.processors;
        machine.complete = object.complete;
        machine.nodes = object.nodes;
        tree.root = &machine;
        object.parent = &machine;
        return attach(object);
      }
      tree.root = &object;
      return &object;
    }
    HwlocObject& parent = *object.parent;
    // No file of hwloc's has such a thing.
    if ((is_device(parent.type) && !is_device(object.type)) || (is_memory(parent.type) && !is_memory(object.type)))
      return nullptr;
    (is_memory(object.type) ? parent.memory : is_device(object.type) ? parent.devices : parent.children).push_back(&object);
    return &object;
  }

  HwlocDocument& document_;
};

// Leaves out what is not allowed: hwloc writes it where it was asked to, and leaves it out again when it reads.
class Allowed {
 public:
  explicit Allowed(pugi::xml_node root) {
    const pugi::xml_attribute processors = root.attribute("allowed_cpuset");
    const pugi::xml_attribute nodes = root.attribute("allowed_nodeset");
    if (processors) processors_ = HwlocSet(processors.value());
    constexpr std::string_view endless = "0xf...f";
    if (nodes && !std::string_view(nodes.value()).starts_with(endless)) nodes_ = HwlocSet(nodes.value());
  }

  // False when nothing is left of `object`.
  bool keep(HwlocObject& object) const {
    const bool needed = processors_ && !object.processors.inside(*processors_);
    if (needed) object.processors.keep(*processors_);
    const bool less = nodes_ && !object.nodes.inside(*nodes_);
    if (less) object.nodes.keep(*nodes_);
    for (auto* list : {&object.children, &object.memory}) std::erase_if(*list, [&](HwlocObject* it) { return !keep(*it); });
    if (!object.children.empty() || !object.memory.empty() || !object.devices.empty() || object.parent == nullptr) return true;
    return is_memory(object.type) ? !(less && object.nodes.empty()) : !(needed && object.processors.empty());
  }

 private:
  std::optional<HwlocSet> processors_, nodes_;
};

// A group that holds nothing but one package gives it what it has: the memory is the package's.
void fold(HwlocObject& object) {
  for (HwlocObject* it : object.children) fold(*it);
  if (object.type != HwlocType::group || object.children.size() != 1) return;
  HwlocObject& only = *object.children.front();
  if (only.type != HwlocType::package || only.processors != object.processors) return;
  for (HwlocObject* it : object.memory) it->parent = &only;
  for (HwlocObject* it : object.devices) it->parent = &only;
  only.memory.insert(only.memory.begin(), object.memory.begin(), object.memory.end());
  only.devices.insert(only.devices.begin(), object.devices.begin(), object.devices.end());
  object.memory.clear();
  object.devices.clear();
}

// hwloc 1 knew machines without memory nodes; since then each has one.
void add_memory(HwlocDocument& document) {
  HwlocTree& tree = document.tree;
  if (!document.numa.empty()) return;
  HwlocObject& numa = tree.objects.emplace_back();
  numa.type = HwlocType::numa;
  numa.parent = tree.root;
  numa.os_index = 0;
  numa.processors = tree.root->processors;
  numa.nodes = HwlocSet("0x1");
  numa.bytes = tree.root->bytes;
  tree.root->memory.push_back(&numa);
  document.numa.push_back(&numa);
}

}  // namespace

void HwlocDocument::fail(pugi::xml_node element, const std::string& what) const {
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 0));
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n');
  throw Error(Fault::usage, fmt::format("{}:{}: {}", origin, line, what));
}

std::uint64_t hwloc_number(std::string_view text) {
  std::uint64_t number = 0;
  if (text.starts_with('-')) return std::numeric_limits<std::uint64_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view hwloc_info(const HwlocInfos& infos, std::string_view name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const auto& it) { return it.first == name; });
  return found == infos.end() ? std::string_view() : std::string_view(found->second);
}

HwlocTree read_hwloc_tree(const Reading& reading) {
  pugi::xml_document xml;
  const pugi::xml_parse_result result =
      xml.load_buffer(reading.text.data(), reading.text.size(), pugi::parse_default, pugi::encoding_utf8);
  HwlocDocument document;
  document.text = reading.text;
  document.origin = reading.origin;
  if (!result) throw Error(Fault::usage, fmt::format("{}: {}", reading.origin, result.description()));
  const pugi::xml_node topology = xml.document_element();
  const std::string_view version = topology.attribute("version").value();
  document.version = std::string_view(topology.name()) == "root" ? 0
                     : version.empty()                           ? 1
                                                                 : static_cast<unsigned>(hwloc_number(version));
  const pugi::xml_node root = topology.child("object");
  Objects(document).read(root, nullptr);
  if (document.tree.root == nullptr) document.fail(root, "the outermost object is no machine");
  add_memory(document);
  Allowed(root).keep(*document.tree.root);
  fold(*document.tree.root);
  if (document.version < 2) add_old_distances(document, root);
  for (const pugi::xml_node info : topology.children("info"))
    document.tree.infos.emplace_back(info.attribute("name").value(), info.attribute("value").value());
  add_hwloc_tables(document, topology);
  return std::move(document.tree);
}

}  // namespace railgauge::topo

// From NCCL's and RCCL's topology XML to the graph.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "topo/merge.hpp"
#include "topo/pci.hpp"
#include "topo/rates.hpp"
#include "topo/read/nccl.hpp"
#include "topo/read/nccl_values.hpp"
#include "topo/xml/elements.hpp"

namespace railgauge::topo {
namespace {

using namespace nccl_values;

constexpr ElementLimits limits{200000, 64, NcclLimits::characters, NcclLimits::attributes};

struct Nesting {
  std::string_view parent, child;
};
constexpr auto nestings = std::to_array<Nesting>({{"system", "cpu"},
                                                  {"cpu", "pci"},
                                                  {"cpu", "nic"},
                                                  {"pci", "pci"},
                                                  {"pci", "gpu"},
                                                  {"pci", "nic"},
                                                  {"pci", "pcilink"},
                                                  {"gpu", "nvlink"},
                                                  {"gpu", "xgmi"},
                                                  {"gpu", "c2c"},
                                                  {"nic", "net"}});

void put(Attributes& attributes, const std::string& name, std::string text) {
  if (!text.empty()) attributes[name] = std::move(text);
}

void append(Attributes& attributes, const std::string& name, std::string_view text) {
  auto [at, fresh] = attributes.try_emplace(name, std::vector<std::string>());
  if (auto* list = std::get_if<std::vector<std::string>>(&at->second)) list->emplace_back(text);
}

// As a list, since a tag without attributes is an empty text, and an attribute of a node is none.
void keep(Attributes& attributes, const std::string& name, const Element& element) {
  attributes[name] = std::vector<std::string>{written(element)};
}

class Reader {
 public:
  explicit Reader(const Reading& reading) : origin_(reading.origin) {
    elements_ = read_elements(reading.text, reading.origin, limits, [](std::string_view parent, std::string_view name) {
      return parent.empty() || std::any_of(nestings.begin(), nestings.end(),
                                           [&](const Nesting& it) { return it.parent == parent && it.child == name; });
    });
  }

  Graph run() {
    const Element& system = elements_.front();
    if (system.name != "system")
      fail(system, fmt::format("<{}> is the outermost element, so NCCL would see an empty machine; NCCL's topology begins with "
                               "<system version=\"1\">",
                               system.name));
    const std::string_view version = value_of(system, "version");
    if (version != "1" && version != "2")
      fail(system, fmt::format("NCCL topology XML of version \"{}\", but versions 1 (NCCL) and 2 (RCCL) can be read", version));
    if (system.children.empty()) fail(system, "there is no <cpu> in it, so no machine");
    std::map<std::string_view, std::vector<std::size_t>> hosts;
    for (const std::size_t child : system.children) hosts[value_of(elements_[child], "host_hash")].push_back(child);
    several_ = hosts.size() > 1;
    if (several_) {
      Node& rack = add(Kind::rack, "nvlink_domain", "");
      rack.name = "NVLink domain";
      keep(rack.attributes, "nccl_system", system);
    }
    for (const auto& [hash, processors] : hosts) {
      prefix_ = several_ ? fmt::format("{}/", hash.empty() ? "host" : hash) : "";
      numa_nodes_ = processors.size();
      Node& machine =
          add(Kind::machine, several_ ? prefix_.substr(0, prefix_.size() - 1) : "machine", several_ ? "nvlink_domain" : "");
      machine_ = machine.key;
      machine_at_ = graph_.nodes.size() - 1;
      machine.name = several_ ? "host " + machine.key : "machine";
      if (!several_) keep(machine.attributes, "nccl_system", system);
      for (const std::size_t child : processors) cpu(elements_[child]);
      for (const Pending& it : pending_) connect(it);
      pending_.clear();
      places_.clear();
    }
    sort_depth_first(graph_);
    return std::move(graph_);
  }

 private:
  struct Pending {
    const Element* element;
    std::string from, numa;
    unsigned sm;
    std::string_view gcn;
  };

  [[noreturn]] void fail(const Element& element, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, element.line, what));
  }

  std::uint64_t number(const Element& element, std::string_view name, std::uint64_t otherwise, std::uint64_t most) const {
    if (!has_attribute(element, name)) return otherwise;
    const auto value = whole(value_of(element, name));
    if (!value || *value > most)
      fail(element,
           fmt::format("{}=\"{}\" of <{}> is no number from 0 to {}", name, value_of(element, name), element.name, most));
    return *value;
  }

  // The reference holds until the next node is added.
  Node& add(Kind kind, const std::string& key, const std::string& parent) {
    std::string unique = key;
    for (std::size_t& n = repeated_[key]; !taken_.insert(unique).second;) unique = fmt::format("{}#{}", key, ++n + 1);
    Node node;
    node.key = std::move(unique);
    node.kind = kind;
    node.parent = parent;
    node.provenance = {"nccl"};
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back();
  }

  Link& link(const std::string& a, const std::string& b, LinkKind kind) {
    Link link;
    link.a = a;
    link.b = b;
    link.kind = kind;
    link.provenance = {"nccl"};
    graph_.links.push_back(std::move(link));
    return graph_.links.back();
  }

  void cpu(const Element& element) {
    if (!has_attribute(element, "numaid")) fail(element, "<cpu> has no numaid");
    std::string_view id = value_of(element, "numaid");
    if (id == "-1" && numa_nodes_ == 1) id = "0";  // the kernel's word for a machine without NUMA
    Node& node = add(Kind::numa, fmt::format("{}numa{}", prefix_, id), machine_);
    node.name = fmt::format("NUMA {}", id);
    keep(node.attributes, "nccl_cpu", element);
    put(node.attributes, "thread_list", threads_of(value_of(element, "affinity")));
    put(node.attributes, "cpu_vendor", std::string(value_of(element, "vendor")));
    const std::string key = node.key;
    std::string architecture(value_of(element, "arch"));
    if (architecture == "arm64") architecture = "aarch64";
    if (!architecture.empty()) graph_.nodes[machine_at_].attributes.try_emplace("architecture", architecture);
    numa_ = key;
    for (const std::size_t child : element.children) {
      if (elements_[child].name == "pci") pci(elements_[child], key);
      if (elements_[child].name == "nic") nic(elements_[child], key);
    }
  }

  [[nodiscard]] bool holds(const Element& element, std::string_view name) const {
    return std::any_of(element.children.begin(), element.children.end(),
                       [&](std::size_t child) { return elements_[child].name == name; });
  }

  [[nodiscard]] Kind kind_of(const Element& element, const PciId& id) const {
    if (holds(element, "gpu")) return Kind::gpu;
    if (holds(element, "pci")) return Kind::pci_switch;
    if (holds(element, "nic")) return Kind::nic;
    const unsigned base = id.device_class >> 8U;
    if (id.vendor == 0 && (base == 0x03 || base == 0x12)) return Kind::gpu;
    if (id.device_class == 0x0604) return Kind::pci_switch;
    if (id.vendor == 0 && id.device_class == 0x0680) return Kind::nvswitch;
    return pci_kind(id);
  }

  static std::string name_of(Kind kind, const PciId& id) {
    if (kind == Kind::pci_switch) return "PCIe switch";
    const std::string_view vendor = pci_vendor_word(id.vendor);
    std::string_view word = kind == Kind::gpu ? "GPU" : kind == Kind::nvswitch ? "NVSwitch" : pci_class_word(id.device_class);
    if (word.empty()) word = kind == Kind::nic ? "NIC" : "PCI device";
    return vendor.empty() ? std::string(word) : fmt::format("{} {}", vendor, word);
  }

  void pci(const Element& element, const std::string& parent) {
    const std::string_view bus = value_of(element, "busid");
    const std::string address = pci_address(bus);
    if (address.empty()) fail(element, fmt::format("busid=\"{}\" of <pci> is no PCI address, as 0000:16:00.0 is", bus));
    const auto field = [&](std::string_view name) {
      return static_cast<std::uint16_t>(whole(value_of(element, name), 16).value_or(0) & 0xffffU);
    };
    const PciId id{static_cast<std::uint16_t>((whole(value_of(element, "class"), 16).value_or(0) >> 8U) & 0xffffU),
                   field("vendor"), field("device")};
    Node& node = add(kind_of(element, id), prefix_ + address, parent);
    node.name = name_of(node.kind, id);
    keep(node.attributes, "nccl_pci", element);
    if (id.device_class != 0) node.attributes["pci_class"] = fmt::format("{:04x}", id.device_class);
    put(node.attributes, "pci_class_name", std::string(pci_class_word(id.device_class)));
    if (id.vendor != 0) node.attributes["pci_id"] = fmt::format("{:04x}:{:04x}", id.vendor, id.device);
    if (field("subsystem_vendor") != 0)
      node.attributes["pci_subsystem"] = fmt::format("{:04x}:{:04x}", field("subsystem_vendor"), field("subsystem_device"));
    const std::string key = node.key;
    places_.try_emplace(address, key);
    Link& up = link(parent, key, LinkKind::pcie);
    up.active.speed = gigatransfers(value_of(element, "link_speed"));
    if (const auto width = whole(value_of(element, "link_width")); width && *width <= 64)
      up.active.width = static_cast<unsigned>(*width);
    up.bandwidth = pcie_bandwidth(up.active);
    inside(element, key);
  }

  void inside(const Element& element, const std::string& key) {
    std::size_t gpus = 0;
    bool adapter = false;  // the first <nic> is the PCI device itself
    const auto all = std::count_if(element.children.begin(), element.children.end(),
                                   [&](std::size_t child) { return elements_[child].name == "gpu"; });
    const std::size_t at = graph_.nodes.size() - 1;
    for (const std::size_t child : element.children) {
      const Element& it = elements_[child];
      if (it.name == "pci") pci(it, key);
      if (it.name == "gpu") gpu(it, key, at, all > 1 ? ++gpus : 0);
      if (it.name == "pcilink") pending_.push_back({&it, key, numa_, 0, {}});
      if (it.name == "nic" && std::exchange(adapter, true))
        nic(it, key);
      else if (it.name == "nic")
        nets(it, key, at);
    }
  }

  // `part` is 0, or counts the several GPUs of one PCI device from 1.
  void gpu(const Element& element, const std::string& device, std::size_t at, std::size_t part) {
    std::string key = device;
    if (part != 0) {
      const std::string_view told = value_of(element, "mlopart");
      Node& node =
          add(Kind::partition, fmt::format("{}/{}", device, told.empty() ? fmt::to_string(part - 1) : std::string(told)), device);
      at = graph_.nodes.size() - 1;
      key = node.key;
    }
    Node& node = graph_.nodes[at];
    keep(node.attributes, "nccl_gpu", element);
    const std::string_view gcn = value_of(element, "gcn");
    const std::string_view sm = value_of(element, "sm");
    const auto known = whole(sm);
    if (!gcn.empty())
      node.name = fmt::format("AMD GPU {}{}", gcn.starts_with("gfx") ? "" : "gcn ", gcn);
    else if (!sm.empty())
      node.name = fmt::format("NVIDIA GPU sm {}", sm);
    else if (node.name.empty())
      node.name = "GPU";
    if (const auto index = whole(value_of(element, "dev")); index) node.attributes["index"] = *index;
    if (gcn.empty() && known && *known >= 10 && *known < 1000)
      node.attributes["compute_capability"] = fmt::format("{}.{}", *known / 10, *known % 10);
    for (const std::size_t child : element.children)
      pending_.push_back({&elements_[child], key, numa_, known && *known < 1000 ? static_cast<unsigned>(*known) : 0, gcn});
  }

  // A NIC that is no PCI device of its own.
  void nic(const Element& element, const std::string& parent) {
    std::string_view name = element.children.empty() ? std::string_view() : value_of(elements_[element.children.front()], "name");
    if (name.empty()) name = "nic";
    Node& node = add(Kind::nic, fmt::format("{}os:{}", prefix_, name), parent);
    node.name = name;
    const std::string key = node.key;
    nets(element, key, graph_.nodes.size() - 1);
  }

  void nets(const Element& element, const std::string& key, std::size_t at) {
    keep(graph_.nodes[at].attributes, "nccl_nic", element);
    for (const std::size_t child : element.children) {
      const Element& it = elements_[child];
      std::string name(value_of(it, "name"));
      if (name.empty()) name = fmt::format("net{}", value_of(it, "dev"));
      const std::string guid = guid_of(value_of(it, "guid"));
      append(graph_.nodes[at].attributes, guid.empty() ? "interfaces" : "verbs", name);
      if (!guid.empty()) graph_.nodes[at].attributes.try_emplace("sys_image_guid", guid);
      const auto port = whole(value_of(it, "port"));
      Node& node = add(Kind::port, fmt::format("{}os:{}/{}", prefix_, name, port.value_or(0)), key);
      node.name = fmt::format("{}/{}", name, port.value_or(0));
      keep(node.attributes, "nccl_net", it);
      const auto speed = whole(value_of(it, "speed"));  // Mb/s
      if (speed && *speed > 0) node.attributes["megabits_per_second"] = *speed;
      const std::string to = node.key;
      Link& cable = link(key, to, LinkKind::internal);
      if (speed && *speed > 0 && *speed < 100000000) cable.bandwidth.nominal = static_cast<double>(*speed) / 8000;
    }
  }

  void connect(const Pending& it) {
    const Element& element = *it.element;
    if (element.name == "c2c") {
      Link& made = link(it.numa, it.from, LinkKind::c2c);
      made.count = static_cast<unsigned>(std::max<std::uint64_t>(number(element, "count", 1, 4096), 1));
      made.bandwidth.nominal = static_cast<double>(number(element, "bw", 0, 100000000)) / 1000 * made.count;
      keep(made.attributes, "nccl_b", element);
      return;
    }
    const LinkKind kind = element.name == "nvlink" ? LinkKind::nvlink : element.name == "xgmi" ? LinkKind::xgmi : LinkKind::pcie;
    const std::string_view target = value_of(element, "target");
    if (target.empty()) fail(element, fmt::format("<{}> has no target", element.name));
    const auto count = static_cast<unsigned>(std::max<std::uint64_t>(number(element, "count", 1, 4096), 1));
    const std::string_view tclass = value_of(element, "tclass");
    const bool processor = kind == LinkKind::nvlink && tclass.starts_with("0x068001");
    const std::string to = processor ? it.numa : node_of(target, kind == LinkKind::pcie ? "0x060400" : tclass);
    auto& waiting = waiting_[{to, it.from, kind}];
    if (to != it.from && !waiting.empty()) {  // the other end told of this link already
      Link& made = graph_.links[waiting.back()];
      waiting.pop_back();
      keep(made.attributes, "nccl_b", element);
      if (count > made.count) carry(made, it, count);
      return;
    }
    Link& made = processor ? link(to, it.from, kind) : link(it.from, to, kind);
    keep(made.attributes, processor ? "nccl_b" : "nccl_a", element);
    carry(made, it, count);
    if (!processor && to != it.from) waiting_[{it.from, to, kind}].push_back(graph_.links.size() - 1);
  }

  static void carry(Link& made, const Pending& it, unsigned count) {
    made.count = count;
    if (made.kind == LinkKind::nvlink)
      if (const NvlinkGeneration* row = nvlink_generation(0, it.sm / 10, it.sm % 10); row != nullptr)
        made.bandwidth = {row->bandwidth.line * count, row->bandwidth.nominal * count, row->bandwidth.usable * count};
    if (made.kind == LinkKind::xgmi) {
      const Bandwidth one = xgmi_bandwidth(it.gcn);
      made.bandwidth = {one.line * count, one.nominal * count, one.usable * count};
    }
  }

  // The node at a PCI address; one that the file does not describe (an NVSwitch, a GPU that no rank uses) hangs at the machine.
  std::string node_of(std::string_view target, std::string_view tclass) {
    const std::string address = pci_address(target);
    if (const auto found = places_.find(address); !address.empty() && found != places_.end()) return found->second;
    const std::uint64_t device_class = whole(tclass, 16).value_or(0) >> 8U;
    const Kind kind = device_class == 0x0680                                     ? Kind::nvswitch
                      : device_class >> 8U == 0x03 || device_class >> 8U == 0x12 ? Kind::gpu
                      : device_class == 0x0604                                   ? Kind::pci_switch
                                                                                 : Kind::device;
    const bool shared = kind == Kind::nvswitch && address.empty();  // the driver hides it: "fffffff:ffff:ff"
    std::string name =
        shared ? (several_ ? "nvswitch" : "os:nvswitch") : prefix_ + (address.empty() ? "os:" + std::string(target) : address);
    if (taken_.contains(name)) return name;
    Node& node = add(kind, name, shared && several_ ? "nvlink_domain" : machine_);
    node.name = kind == Kind::nvswitch     ? "NVSwitch"
                : kind == Kind::gpu        ? "GPU"
                : kind == Kind::pci_switch ? "PCIe switch"
                                           : "device";
    if (!address.empty()) places_.try_emplace(address, node.key);
    return node.key;
  }

  const std::string& origin_;
  std::vector<Element> elements_;
  Graph graph_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> repeated_;
  std::unordered_map<std::string, std::string> places_;  // of this machine: PCI address to key
  std::vector<Pending> pending_;
  std::map<std::tuple<std::string, std::string, LinkKind>, std::vector<std::size_t>> waiting_;
  std::string prefix_, machine_, numa_;
  std::size_t numa_nodes_ = 0, machine_at_ = 0;
  bool several_ = false;
};

}  // namespace

std::string pci_address(std::string_view text) {
  std::array<std::uint64_t, 4> fields{};  // domain, bus, device, function
  constexpr std::array<char, 4> ends{':', ':', '.', '\0'};
  constexpr std::array<std::uint64_t, 4> most{0xffffffff, 0xff, 0x1f, 7};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t end = ends[i] == '\0' ? text.size() : text.find(ends[i]);
    if (end == std::string_view::npos) return {};
    const auto number = whole(text.substr(0, end), 16);
    if (!number || *number > most[i] || text.starts_with("0x")) return {};
    fields[i] = *number;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", fields[0], fields[1], fields[2], fields[3]);
}

bool is_nccl(std::string_view text) {
  constexpr auto names = std::to_array<std::string_view>({"system", "cpu", "pci", "gpu", "nic", "net", "nvlink", "xgmi"});
  return std::find(names.begin(), names.end(), first_element(text)) != names.end();
}

Graph read_nccl(const Reading& reading) { return Reader(reading).run(); }

}  // namespace railgauge::topo

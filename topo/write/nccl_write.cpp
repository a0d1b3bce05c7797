// Writes a graph as the file that NCCL_TOPO_FILE names: what NCCL told as NCCL told it, else what NCCL would have found out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>
#include <unordered_map>

#include "base/error.hpp"
#include "topo/rates.hpp"
#include "topo/read/nccl.hpp"
#include "topo/write/formats.hpp"
#include "topo/write/nccl_tags.hpp"
#include "topo/xml/elements.hpp"

namespace railgauge::topo {
namespace {

using namespace nccl_tags;

constexpr std::size_t nobody = static_cast<std::size_t>(-1);
constexpr std::size_t deepest = 300;  // a machine has some 20

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {
    const std::size_t count = graph.nodes.size();
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<std::size_t> depths(count);
    for (std::size_t i = 0; i < count; ++i) places.try_emplace(graph.nodes[i].key, i);
    parents_.assign(count, nobody);
    children_.resize(count);
    links_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      if (const auto parent = places.find(graph.nodes[i].parent); parent != places.end() && parent->second < i) {
        parents_[i] = parent->second;
        children_[parent->second].push_back(i);
        depths[i] = depths[parent->second] + 1;
        if (depths[i] > deepest) fail(fmt::format("nodes are nested more than {} deep", deepest));
      }
    for (const Link& link : graph.links) {
      const auto a = places.find(link.a);
      const auto b = places.find(link.b);
      if (a == places.end() || b == places.end()) continue;
      links_[a->second].push_back({&link, b->second, true});
      if (a->second != b->second) links_[b->second].push_back({&link, a->second, false});
    }
    verbs_ = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& it) {
      return it.kind == Kind::nic && (!list_of(it.attributes, "verbs").empty() || it.attributes.contains("node_guid"));
    });
    for (std::size_t i = 0; i < count && !networked_; ++i) networked_ = is_network(i);
  }

  std::string write() {
    std::vector<std::size_t> machines;
    const Node* told = nullptr;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].kind == Kind::machine) machines.push_back(i);
      if (graph_.nodes[i].attributes.contains("nccl_system")) told = &graph_.nodes[i];
    }
    if (machines.empty()) fail("there is no machine in this graph, and NCCL's file describes one");
    if (machines.size() > 1 && told == nullptr)
      fail(fmt::format("NCCL's file describes one machine, and this graph has {}", machines.size()));
    // Devices that no file of NCCL's needs are left out first where there are too many.
    for (const bool all : {true, false}) {
      all_ = all;
      networks_ = 0;
      ranks_ = 0;
      Tag system{"system", told != nullptr ? raw(*told, "nccl_system") : version(), {}};
      for (const std::size_t machine : machines) processors(machine, system);
      if (system.children.empty()) fail("no processor, GPU or NIC of this graph could be written");
      const std::size_t count = count_of(system);
      const std::size_t most = NcclLimits::nodes * std::max<std::size_t>(ranks_, 1);
      if (count > most && all && told == nullptr) continue;
      if (count > most) fail(fmt::format("NCCL reads at most {} elements, and this graph has {}", most, count));
      std::string text;
      print(system, 0, text);
      return text;
    }
    return {};
  }

 private:
  struct AttachedLink {
    const Link* link;
    std::size_t other;
    bool at_a;
  };

  [[noreturn]] static void fail(const std::string& what) { throw Error(Fault::usage, "--as nccl: " + what); }

  static bool has_raw(const Node& node, std::string_view name) { return !list_of(node.attributes, name).empty(); }
  static std::string raw(const Node& node, std::string_view name) { return list_of(node.attributes, name).front(); }

  [[nodiscard]] std::string version() const {
    const bool amd = std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [](const Node& it) {
      return it.kind == Kind::gpu && text_of(it.attributes, "pci_id").starts_with("1002");
    });
    return amd ? "version=\"2\"" : "version=\"1\"";  // RCCL's
  }

  static std::size_t count_of(const Tag& tag) {
    if (tag.children.size() > NcclLimits::children)
      fail(fmt::format("NCCL reads at most {} elements inside one, and <{}> has {}", NcclLimits::children, tag.name,
                       tag.children.size()));
    std::size_t count = 1;
    for (const Tag& child : tag.children) count += count_of(child);
    return count;
  }

  // One <cpu> for each NUMA node; what hangs elsewhere goes to the first of its package, or of the machine.
  void processors(std::size_t machine, Tag& system) {
    std::vector<std::size_t> nodes;
    std::vector<std::pair<std::size_t, std::size_t>> devices;  // and the NUMA node it goes to
    spread(machine, nobody, nodes, devices);
    if (nodes.empty() && !devices.empty()) nodes.push_back(nobody);
    std::map<std::size_t, std::size_t> order;
    const std::size_t first = system.children.size();
    for (const std::size_t node : nodes) {
      order[node] = system.children.size();
      system.children.push_back({"cpu", processor(machine, node), {}});
    }
    for (const auto& [device, numa] : devices) {
      const auto at = order.find(numa);
      put(device, device, system.children[at == order.end() ? first : at->second]);
    }
    // NCCL knows only processors that hold something.
    const auto idle = [](const Tag& cpu) { return cpu.children.empty(); };
    if (!std::all_of(system.children.begin() + static_cast<std::ptrdiff_t>(first), system.children.end(), idle) &&
        std::none_of(nodes.begin(), nodes.end(),
                     [&](std::size_t it) { return it != nobody && has_raw(graph_.nodes[it], "nccl_cpu"); }))
      std::erase_if(system.children, idle);
  }

  void spread(std::size_t node, std::size_t numa, std::vector<std::size_t>& nodes,
              std::vector<std::pair<std::size_t, std::size_t>>& devices) {
    for (const std::size_t child : children_[node]) {
      const Kind kind = graph_.nodes[child].kind;
      if (kind == Kind::numa) nodes.push_back(child);
      if (kind == Kind::numa)
        spread(child, child, nodes, devices);
      else if (kind == Kind::package) {
        std::size_t inside = numa;
        for (const std::size_t it : children_[child])
          if (graph_.nodes[it].kind == Kind::numa && inside == nobody) inside = it;
        spread(child, inside, nodes, devices);
      } else
        devices.emplace_back(child, numa);
    }
  }

  [[nodiscard]] std::string processor(std::size_t machine, std::size_t node) const {
    if (node != nobody && has_raw(graph_.nodes[node], "nccl_cpu")) return raw(graph_.nodes[node], "nccl_cpu");
    AttributeText attributes;
    if (node == nobody) {
      attributes.add("numaid", "-1");
    } else {
      const std::string_view key = graph_.nodes[node].key;
      const std::size_t digits = key.rfind("numa");
      attributes.add("numaid", digits == std::string_view::npos ? "-1" : key.substr(digits + 4));
      attributes.add_known("affinity", mask_of(text_of(graph_.nodes[node].attributes, "thread_list")));
    }
    std::string_view architecture = text_of(graph_.nodes[machine].attributes, "architecture");
    if (architecture == "aarch64") architecture = "arm64";
    if (architecture.starts_with("ppc64")) architecture = "ppc64";
    attributes.add_known("arch", architecture);
    // Of the package; NCCL asks the processor for what is missing.
    for (std::size_t at = node; at != nobody; at = parents_[at]) {
      const Attributes& it = graph_.nodes[at].attributes;
      const std::string_view vendor = text_of(it, "cpu_vendor");
      if (vendor.empty() || architecture != "x86_64") continue;
      const bool numbered = it.contains("cpu_family_number") && it.contains("cpu_model_number");
      if (vendor == "GenuineIntel" && !numbered) break;
      attributes.add("vendor", vendor);
      if (numbered) {
        attributes.add("familyid", number_of(it, "cpu_family_number"));
        attributes.add("modelid", number_of(it, "cpu_model_number"));
      }
      break;
    }
    return attributes.take();
  }

  [[nodiscard]] bool is_network(std::size_t node) const {
    const Node& it = graph_.nodes[node];
    if (has_raw(it, "nccl_nic")) return true;
    if (it.kind != Kind::nic) return false;
    if (!list_of(it.attributes, "verbs").empty()) return true;
    return !verbs_ && !list_of(it.attributes, "interfaces").empty();
  }

  [[nodiscard]] bool wanted(std::size_t node) const {
    const Node& it = graph_.nodes[node];
    if (has_raw(it, "nccl_pci") || has_raw(it, "nccl_gpu") || has_raw(it, "nccl_nic")) return true;
    if (it.provenance.size() == 1 && it.provenance.front() == "nccl") return false;  // the target of a link, no element
    if (it.kind == Kind::gpu) return !pci_address(address_part(it.key)).empty();
    return it.kind == Kind::nic && (is_network(node) || (all_ && !networked_ && !pci_address(address_part(it.key)).empty()));
  }

  // A key without the machine's name before it and without "#2" behind it.
  static std::string_view address_part(std::string_view key) {
    if (const std::size_t slash = key.rfind('/'); slash != std::string_view::npos) key.remove_prefix(slash + 1);
    return key.substr(0, key.find('#'));
  }

  // Writes `node` and what is below it into `into`. NCCL has one <pci> for a switch: its upstream port; root ports and downstream
  // ports are none.
  void put(std::size_t node, std::size_t top, Tag& into) {
    const Node& it = graph_.nodes[node];
    const bool is_switch = it.kind == Kind::pci_switch &&
                           (node == top || graph_.nodes[parents_[node]].kind != Kind::pci_switch || has_raw(it, "nccl_pci"));
    const bool told_pci = has_raw(it, "nccl_pci");
    const bool device = (it.kind == Kind::gpu || it.kind == Kind::nic) && wanted(node);
    if (!told_pci && !is_switch && !device) {
      for (const std::size_t child : children_[node]) put(child, top, into);
      return;
    }
    if (!told_pci && it.kind == Kind::nic && pci_address(address_part(it.key)).empty()) {
      network(node, into);
      return;
    }
    Tag pci{"pci", told_pci ? raw(it, "nccl_pci") : pci_attributes(node), {}};
    if (it.kind == Kind::gpu && (!told_pci || has_raw(it, "nccl_gpu"))) graphics(node, pci);
    if (it.kind == Kind::nic || has_raw(it, "nccl_nic")) network(node, pci);
    peers(node, pci, LinkKind::pcie);
    for (const std::size_t child : children_[node]) {
      if (graph_.nodes[child].kind == Kind::partition && has_raw(graph_.nodes[child], "nccl_gpu")) graphics(child, pci);
      if (graph_.nodes[child].kind == Kind::port || graph_.nodes[child].kind == Kind::partition) continue;
      put(child, top, pci);
    }
    if (told_pci || device || !pci.children.empty()) into.children.push_back(std::move(pci));
  }

  [[nodiscard]] std::string pci_attributes(std::size_t node) const {
    const Node& it = graph_.nodes[node];
    const Link* up = nullptr;
    for (const AttachedLink& attached : links_[node])
      if (attached.link->kind == LinkKind::pcie && !attached.at_a && attached.other == parents_[node]) up = attached.link;
    const Rate rate = up == nullptr ? Rate{} : rate_of(*up);
    const auto two = [&](std::string_view name, std::size_t at) {
      const std::string_view text = text_of(it.attributes, name);
      return text.size() == 9 ? "0x" + std::string(text.substr(at, 4)) : std::string();
    };
    AttributeText attributes;
    attributes.add("busid", address_part(it.key));
    attributes.add("class", device_class(it));
    attributes.add_known("vendor", two("pci_id", 0));
    attributes.add_known("device", two("pci_id", 5));
    attributes.add_known("subsystem_vendor", two("pci_subsystem", 0));
    attributes.add_known("subsystem_device", two("pci_subsystem", 5));
    attributes.add("link_speed", rate.speed > 0 ? fmt::format("{:.1f} GT/s PCIe", rate.speed) : "");
    attributes.add("link_width", rate.width);
    return attributes.take();
  }

  static std::string device_class(const Node& node) {
    if (const std::string_view told = written_value(first_of(node, "nccl_pci"), "class"); !told.empty()) return std::string(told);
    if (const std::string_view text = text_of(node.attributes, "pci_class"); text.size() == 4 && node.kind != Kind::pci_switch)
      return fmt::format("0x{}00", text);
    return node.kind == Kind::gpu        ? "0x030200"
           : node.kind == Kind::nic      ? "0x020000"
           : node.kind == Kind::nvswitch ? "0x068000"
                                         : "0x060400";
  }
  static std::string_view first_of(const Node& node, std::string_view name) {
    const auto list = list_of(node.attributes, name);
    return list.empty() ? std::string_view() : std::string_view(list.front());
  }

  void graphics(std::size_t node, Tag& into) {
    const Node& it = graph_.nodes[node];
    Tag gpu{"gpu", "", {}};
    if (has_raw(it, "nccl_gpu")) {
      gpu.attributes = raw(it, "nccl_gpu");
      if (!written_value(gpu.attributes, "rank").empty()) ++ranks_;
    } else {
      AttributeText attributes;
      if (const std::uint64_t index = index_of(it); index != nobody) attributes.add("dev", index);
      std::string sm;
      for (const char c : text_of(it.attributes, "compute_capability"))
        if (c != '.') sm += c;
      attributes.add_known("sm", sm);
      gpu.attributes = attributes.take();
    }
    peers(node, gpu, LinkKind::nvlink);
    peers(node, gpu, LinkKind::xgmi);
    peers(node, gpu, LinkKind::c2c);
    if (!gpu.attributes.empty() || !gpu.children.empty() || has_raw(it, "nccl_gpu")) into.children.push_back(std::move(gpu));
  }

  static std::uint64_t index_of(const Node& node) {
    if (node.attributes.contains("index")) return number_of(node.attributes, "index");
    for (const std::string& name : list_of(node.attributes, "os_devices")) {
      std::uint64_t index = 0;
      if (name.starts_with("nvml") && std::from_chars(name.data() + 4, name.data() + name.size(), index).ec == std::errc())
        return index;
    }
    return nobody;
  }

  // What joins this device with others: as it was told, else one element for each other device.
  void peers(std::size_t node, Tag& into, LinkKind kind) const {
    const bool tree = kind == LinkKind::pcie;
    const char* name = tree ? "pcilink" : kind == LinkKind::nvlink ? "nvlink" : kind == LinkKind::xgmi ? "xgmi" : "c2c";
    std::map<std::size_t, unsigned> counts;
    for (const AttachedLink& attached : links_[node]) {
      if (attached.link->kind != kind) continue;
      const auto told = list_of(attached.link->attributes, attached.at_a ? "nccl_a" : "nccl_b");
      const auto told_other = list_of(attached.link->attributes, attached.at_a ? "nccl_b" : "nccl_a");
      if (!told.empty()) into.children.push_back({name, told.front(), {}});
      if (!told.empty() || !told_other.empty() || tree) continue;
      if (attached.link->state == LinkState::down || attached.link->state == LinkState::disabled || attached.other == node)
        continue;
      if (kind == LinkKind::c2c && attached.link->count > 0) {
        AttributeText attributes;
        attributes.add("bw", static_cast<std::uint64_t>(
                                 std::llround(std::min(attached.link->bandwidth.nominal, 1e6) * 1000 / attached.link->count)));
        attributes.add("count", attached.link->count);
        into.children.push_back({name, attributes.take(), {}});
      } else {
        counts[attached.other] += attached.link->count;
      }
    }
    for (const auto& [other, count] : counts) {
      const Node& it = graph_.nodes[other];
      const std::string address = pci_address(address_part(it.key));
      const bool processor = it.kind == Kind::numa || it.kind == Kind::package;
      AttributeText attributes;
      attributes.add("target", address.empty() ? "fffffff:ffff:ff" : address);  // NCCL's own word for what the driver hides
      attributes.add("count", count);
      attributes.add("tclass", processor ? "0x068001" : device_class(it));
      into.children.push_back({name, attributes.take(), {}});
    }
  }

  void network(std::size_t node, Tag& into) {
    const Node& it = graph_.nodes[node];
    if (!is_network(node)) return;
    Tag nic{"nic", has_raw(it, "nccl_nic") ? raw(it, "nccl_nic") : "", {}};
    for (const std::size_t child : children_[node]) {
      const Node& port = graph_.nodes[child];
      if (port.kind != Kind::port) continue;
      if (has_raw(port, "nccl_net"))
        nic.children.push_back({"net", raw(port, "nccl_net"), {}});
      else if (!has_raw(it, "nccl_nic") && !list_of(it.attributes, "verbs").empty())
        nic.children.push_back({"net", net_attributes(it, child), {}});
    }
    if (nic.children.empty() && !has_raw(it, "nccl_nic"))
      for (const std::string& name : list_of(it.attributes, verbs_ ? "verbs" : "interfaces")) {
        AttributeText attributes;
        attributes.add("name", name);
        attributes.add("dev", networks_++);
        nic.children.push_back({"net", attributes.take(), {}});
      }
    into.children.push_back(std::move(nic));
  }

  [[nodiscard]] std::string net_attributes(const Node& nic, std::size_t node) {
    const Node& port = graph_.nodes[node];
    double gigabits = static_cast<double>(number_of(port.attributes, "megabits_per_second")) / 1000;
    for (const AttachedLink& attached : links_[node]) {
      if (gigabits > 0 || attached.other != parents_[node]) continue;
      gigabits = attached.link->bandwidth.nominal > 0 ? attached.link->bandwidth.nominal * 8
                                                      : attached.link->active.width * attached.link->active.speed;
    }
    const std::size_t slash = port.name.rfind('/');
    AttributeText attributes;
    attributes.add("name", std::string_view(port.name).substr(0, slash));
    attributes.add("dev", networks_++);
    if (gigabits > 0 && gigabits < 1e5) attributes.add("speed", static_cast<std::uint64_t>(std::llround(gigabits * 1000)));
    attributes.add("port", slash == std::string::npos ? "1" : std::string_view(port.name).substr(slash + 1));
    std::string_view guid = text_of(nic.attributes, "sys_image_guid");
    if (guid.empty()) guid = text_of(nic.attributes, "node_guid");
    if (const std::string key = guid_key(guid); key.size() == 18) {
      std::string turned = "0x";  // NCCL writes its bytes in the order of the processor
      for (std::size_t at = 16; at >= 2; at -= 2) turned += key.substr(at, 2);
      attributes.add("guid", turned);
    }
    return attributes.take();
  }

  const Graph& graph_;
  std::vector<std::size_t> parents_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<AttachedLink>> links_;
  std::size_t networks_ = 0, ranks_ = 0;
  bool verbs_ = false, networked_ = false, all_ = true;
};

}  // namespace

std::string to_nccl(const Graph& graph) { return Writer(graph).write(); }

}  // namespace railgauge::topo

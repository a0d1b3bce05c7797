// From NVML's answers to the graph: the machine's GPUs, their partitions, and what they are joined to.
#include "topo/read/nvml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "topo/merge.hpp"
#include "topo/pci.hpp"
#include "topo/rates.hpp"
#include "topo/read/nodes.hpp"
#include "topo/read/nvml_links.hpp"
#include "topo/read/nvml_record.hpp"

namespace railgauge::topo {
namespace {

void put(Attributes& attributes, const char* name, std::string text) {
  if (!text.empty()) attributes[name] = std::move(text);
}
void put(Attributes& attributes, const char* name, const NvmlNumber& number) {
  if (number) attributes[name] = *number;
}

std::uint64_t value_or_zero(const NvmlFields& fields, unsigned field) {
  const auto at = fields.find(field);
  return at == fields.end() ? 0 : at->second;
}

// NVML's numbers of fields.
constexpr unsigned field_link_count = 91;
constexpr unsigned field_c2c_status = 171;
constexpr unsigned field_c2c_bandwidth = 172;  // MB/s of one link
struct PcieField {
  unsigned field;
  const char* name;
};
constexpr auto pcie_fields = std::to_array<PcieField>({
    {173, "correctable"},
    {174, "naks_received"},
    {175, "receiver"},
    {176, "bad_tlp"},
    {177, "naks_sent"},
    {178, "bad_dllp"},
    {179, "non_fatal"},
    {180, "fatal"},
    {181, "unsupported_request"},
    {182, "lcrc"},
    {183, "lane"},
});

// The groups of bits of the fabric's health mask: 1 says yes, 2 no. So 0xaa is a healthy one.
struct Health {
  unsigned shift;
  const char* words;
};
constexpr auto health_bits = std::to_array<Health>(
    {{0, "degraded bandwidth"}, {2, "route recovery in progress"}, {4, "unhealthy route"}, {6, "access timeout"}});
constexpr auto configurations =
    std::to_array<std::string_view>({"", "", "wrong system GUID", "wrong chassis serial number", "no partition",
                                     "too few NVLinks", "incompatible firmware", "wrong location"});

std::string health_of(std::uint64_t mask) {
  if (mask == 0) return {};  // this GPU or driver knows nothing of it
  std::string text;
  const auto say = [&](std::string_view words) { text += fmt::format("{}{}", text.empty() ? "" : ", ", words); };
  for (const Health& it : health_bits)
    if ((mask >> it.shift & 3U) == 1) say(it.words);
  const std::uint64_t configuration = mask >> 8U & 15U;
  if (configuration >= configurations.size())
    say(fmt::format("wrong configuration {}", configuration));
  else if (!configurations[configuration].empty())
    say(configurations[configuration]);
  return text.empty() ? "healthy" : text;
}

std::string word_of(const NvmlNumber& number, std::span<const std::string_view> words) {
  if (!number) return {};
  return *number < words.size() ? std::string(words[*number]) : fmt::format("{}", *number);
}
constexpr auto fabric_states = std::to_array<std::string_view>({"", "not started", "in progress", "completed"});
constexpr std::uint64_t fabric_completed = 3;
constexpr auto fabric_summaries = std::to_array<std::string_view>({"", "healthy", "unhealthy", "limited capacity"});
constexpr auto p2p_words = std::to_array<std::string_view>({"OK", "CNS", "GNS", "TNS", "DR", "NS", "U"});  // as nvidia-smi

// "01234567-89ab-..." of 32 digits; empty when there are none but zeros.
std::string uuid_of(const std::string& digits) {
  if (digits.find_first_not_of('0') == std::string::npos) return {};
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4), digits.substr(16, 4),
                     digits.substr(20));
}

class Builder {
 public:
  explicit Builder(const NvmlRecord& record) : record_(record) {
    for (const NvmlDevice& device : record.devices) {
      std::string key = pci_key(device.bus_id);
      if (key.empty()) key = fmt::format("os:nvml{}", gpus_.size());
      gpus_.push_back(unique(std::move(key)));
      if (fabric_ == nullptr && joined(device)) fabric_ = &*device.fabric;
    }
    known_ = {gpus_.begin(), gpus_.end()};
  }

  Graph build() {
    machine();
    for (std::size_t i = 0; i < gpus_.size(); ++i) gpu(record_.devices[i], i);
    nvlinks();
    return std::move(graph_);
  }

 private:
  std::string unique(std::string key) {
    std::string it = key;
    for (unsigned n = 2; !taken_.insert(it).second; ++n) it = fmt::format("{}#{}", key, n);
    return it;
  }

  Node& add(std::string key, Kind kind, std::string name, std::string parent) {
    return add_node(graph_, std::move(key), kind, std::move(name), std::move(parent), "nvml");
  }

  // Nodes that several GPUs meet at are made once.
  Node* add_once(const std::string& key, Kind kind, const std::string& name, const std::string& parent) {
    return taken_.insert(key).second ? &add(key, kind, name, parent) : nullptr;
  }

  Link& link(std::string a, std::string b, LinkKind kind) {
    Link link;
    link.a = std::move(a);
    link.b = std::move(b);
    link.kind = kind;
    link.provenance = {"nvml"};
    graph_.links.push_back(std::move(link));
    return graph_.links.back();
  }

  void machine() {
    taken_.insert("machine");
    Attributes& attributes = add("machine", Kind::machine, record_.host.empty() ? "machine" : record_.host, "").attributes;
    put(attributes, "host_name", record_.host);
    put(attributes, "nvidia_driver", record_.driver);
    put(attributes, "nvml_version", record_.nvml);
    if (record_.cuda) put(attributes, "cuda_driver", fmt::format("{}.{}", *record_.cuda / 1000, *record_.cuda % 1000 / 10));
    put(attributes, "nvml_fault", record_.fault);
    for (const NvmlDevice& device : record_.devices) {
      if (!device.platform || device.platform->chassis.empty()) continue;
      put(attributes, "chassis_serial", device.platform->chassis);
      put(attributes, "chassis_slot", device.platform->slot);
      put(attributes, "chassis_tray", device.platform->tray);
      put(attributes, "chassis_host", device.platform->host);
      break;
    }
  }

  // The NUMA node whose processors are near, where there is exactly one.
  std::string near(const NvmlDevice& device) {
    if (device.near_numa.size() != 1) return "machine";
    const std::uint64_t number = device.near_numa.front();
    std::string key = fmt::format("numa{}", number);
    add_once(key, Kind::numa, fmt::format("NUMA {}", number), "machine");
    return key;
  }

  void gpu(const NvmlDevice& device, std::size_t index) {
    const std::string parent = near(device);
    Node& node = add(gpus_[index], Kind::gpu, device.name.empty() ? "NVIDIA GPU" : device.name, parent);
    Attributes& attributes = node.attributes;
    put(attributes, "uuid", device.uuid);
    put(attributes, "serial", device.serial);
    put(attributes, "nvml_index", NvmlNumber(index));
    if (device.major != 0) put(attributes, "compute_capability", fmt::format("{}.{}", device.major, device.minor));
    put(attributes, "memory_bytes", device.memory_bytes);
    put(attributes, "memory_numa", device.memory_numa);
    if (device.mig) put(attributes, "mig", std::string(*device.mig == 1 ? "enabled" : "disabled"));
    if (device.platform) put(attributes, "module", device.platform->module);
    if (device.fabric) put_fabric(attributes, *device.fabric);
    put_nvlinks(attributes, device);
    put_p2p(attributes, index);
    pcie(device, parent, gpus_[index]);
    c2c(device, parent, gpus_[index]);
    for (const NvmlPartition& part : device.partitions) partition(part, gpus_[index]);
  }

  static void put_fabric(Attributes& attributes, const NvmlFabric& fabric) {
    if (fabric.state.value_or(0) == 0) return;
    put(attributes, "fabric_state", word_of(fabric.state, fabric_states));
    put(attributes, "fabric_status", fabric.status);
    // A machine with NVSwitches of its own has joined a fabric, but no cluster of machines, and its clique says nothing.
    const std::string cluster = uuid_of(fabric.cluster);
    if (!cluster.empty()) put(attributes, "fabric_clique", fabric.clique);
    put(attributes, "fabric_cluster", cluster);
    if (fabric.health_mask) put(attributes, "fabric_health", health_of(*fabric.health_mask));
    put(attributes, "fabric_summary", word_of(fabric.health_summary, fabric_summaries));
  }

  static void put_nvlinks(Attributes& attributes, const NvmlDevice& device) {
    const std::uint64_t told = value_or_zero(device.fields, field_link_count);
    const std::uint64_t all = std::max<std::uint64_t>(device.links.size(), told <= 64 ? told : 0);
    if (all == 0) return;
    attributes["nvlinks"] = all;
    std::vector<std::string> inactive;
    for (const NvmlLink& link : device.links)
      if (!is_active(link)) inactive.push_back(fmt::format("{}", link.link));
    attributes["nvlinks_active"] = device.links.size() - inactive.size();
    if (!inactive.empty()) attributes["nvlinks_inactive"] = std::move(inactive);
  }

  // GPUs that this one may not read and write, with the word of `nvidia-smi topo -p2p`.
  void put_p2p(Attributes& attributes, std::size_t index) const {
    std::vector<std::string> refused;
    std::set<std::string> words;
    for (std::size_t other = 0; other < gpus_.size(); ++other) {
      NvmlNumber status;
      for (const NvmlMatrix* matrix : {&record_.may_read, &record_.may_write})
        if (!matrix->empty() && (!status || *status == 0)) status = (*matrix)[index][other];
      if (other == index || status.value_or(0) == 0) continue;
      words.insert(word_of(status, p2p_words));
      refused.push_back(fmt::format("{} {}", gpus_[other], word_of(status, p2p_words)));
    }
    if (refused.size() + 1 == gpus_.size() && words.size() == 1) refused = {"all " + *words.begin()};
    if (!refused.empty()) attributes["p2p_refused"] = std::move(refused);
  }

  void pcie(const NvmlDevice& device, const std::string& parent, const std::string& key) {
    if (!device.generation && !device.max_generation) return;
    Link& it = link(parent, key, LinkKind::pcie);
    const auto rate = [](const NvmlNumber& generation, const NvmlNumber& width) {
      return pcie_rate(static_cast<unsigned>(generation.value_or(0)), static_cast<unsigned>(width.value_or(0)));
    };
    it.active = rate(device.generation, device.width);
    it.capable = rate(device.max_generation, device.max_width);
    // An idle GPU rests at a low speed, which says nothing of what the link carries; its width never rests.
    const bool low = it.active.speed > 0 && it.active.speed < it.capable.speed;
    it.state = low ? LinkState::low : LinkState::active;
    it.bandwidth = pcie_bandwidth({it.active.width, low ? it.capable.speed : it.active.speed});
    if (device.gpu_max_generation > device.max_generation) put(it.attributes, "gpu_max_generation", device.gpu_max_generation);
    if (device.replays) it.b_counters["replay"] = *device.replays;
    for (const PcieField& field : pcie_fields)
      if (const auto at = device.fields.find(field.field); at != device.fields.end()) it.b_counters[field.name] = at->second;
  }

  void c2c(const NvmlDevice& device, const std::string& parent, const std::string& key) {
    if (device.c2c.empty()) return;
    unsigned active = 0;
    double gigabytes = 0;
    for (const NvmlFields& one : device.c2c) {
      const auto status = one.find(field_c2c_status);
      if (status != one.end() && status->second != 1) continue;
      ++active;
      gigabytes += static_cast<double>(value_or_zero(one, field_c2c_bandwidth)) / 1e3;
    }
    Link& it = link(parent, key, LinkKind::c2c);
    const auto all = static_cast<unsigned>(device.c2c.size());
    it.count = active != 0 ? active : all;
    it.state = active != 0 ? LinkState::active : LinkState::down;
    it.bandwidth.nominal = gigabytes;
    if (active != 0 && active < all) it.attributes["capable_count"] = std::uint64_t{all};
  }

  void partition(const NvmlPartition& part, const std::string& gpu) {
    const std::string key = part.gpu_instance
                                ? fmt::format("{}/gi{}/ci{}", gpu, *part.gpu_instance, part.compute_instance.value_or(0))
                                : fmt::format("{}/mig", gpu);
    Node& node = add(unique(key), Kind::partition, part.name.empty() ? "MIG instance" : part.name, gpu);
    put(node.attributes, "uuid", part.uuid);
  }

  // The node that stands for the switches which this machine cannot see. In a rack they are the same for every machine of the
  // domain, which the cluster's UUID and the clique name together: cliques of several racks have equal numbers.
  std::string hidden_switches(const NvmlDevice& device) {
    const NvmlFabric* fabric = joined(device) ? &*device.fabric : fabric_;
    if (fabric == nullptr) {
      add_once("nvswitch", Kind::nvswitch, "NVSwitches that this machine does not see", "machine");
      return "nvswitch";
    }
    const std::string uuid = uuid_of(fabric->cluster);
    const std::string domain = fmt::format("domain:{}/{}", uuid, *fabric->clique);
    if (Node* node = add_once(domain, Kind::rack, fmt::format("NVLink domain {} clique {}", uuid, *fabric->clique), "")) {
      put(node->attributes, "fabric_cluster", uuid);
      put(node->attributes, "fabric_clique", fabric->clique);
      add(domain + "/nvswitch", Kind::nvswitch, "NVSwitches of the domain", domain);
    }
    return domain + "/nvswitch";
  }

  static bool joined(const NvmlDevice& device) {
    return device.fabric && device.fabric->state == fabric_completed && device.fabric->clique &&
           !uuid_of(device.fabric->cluster).empty();
  }

  std::string far_key(const NvlinkPlace& place, const NvmlDevice& device) {
    switch (place.end) {
      case NvlinkEnd::hidden:
        return hidden_switches(device);
      case NvlinkEnd::processor:
        return near(device);
      case NvlinkEnd::nvswitch:
        add_once(place.key, Kind::nvswitch, "NVSwitch", "machine");
        return place.key;
      case NvlinkEnd::peer:
        add_once(place.key, Kind::gpu, "GPU that this process may not see", "machine");
        return place.key;
      case NvlinkEnd::unknown:
        break;
    }
    return {};
  }

  void nvlinks() {
    NvlinkHalves halves;
    std::set<std::string> ends;
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      for (const NvmlLink& one : record_.devices[i].links) {
        const std::string far = far_key(place_of(one, known_), record_.devices[i]);
        if (far.empty()) continue;
        ends.insert(far);
        halves.add(gpus_[i], far, record_.devices[i], one);
      }
    // An inactive link does not tell where it leads. Where all the others lead to one place, it does too.
    const bool one_place = ends.size() == 1 && !known_.contains(*ends.begin());
    for (std::size_t i = 0; one_place && i < gpus_.size(); ++i)
      for (const NvmlLink& one : record_.devices[i].links)
        if (place_of(one, known_).end == NvlinkEnd::unknown) halves.add(gpus_[i], *ends.begin(), record_.devices[i], one);
    for (Link& it : halves.join()) graph_.links.push_back(std::move(it));
  }

  const NvmlRecord& record_;
  Graph graph_;
  std::vector<std::string> gpus_;       // keys, in NVML's order
  std::set<std::string> known_;         // the same
  const NvmlFabric* fabric_ = nullptr;  // of the first GPU that has joined: one that has not hangs on the same switches
  std::set<std::string> taken_;
};

}  // namespace

bool is_nvml(std::string_view text) { return text.substr(0, 256).find("\"railgauge.nvml/") != std::string_view::npos; }

Graph read_nvml(const Reading& reading) {
  const NvmlRecord record = read_nvml_record(reading);
  Graph graph = Builder(record).build();
  sort_depth_first(graph);
  return graph;
}

}  // namespace railgauge::topo

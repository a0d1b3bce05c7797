// Builds machines: packages, NUMA nodes, the PCIe tree, GPUs with their NVSwitches, and NICs with one port each.
#include "topo/generate/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "topo/generate/values.hpp"
#include "topo/infiniband.hpp"
#include "topo/rates.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr unsigned most_devices = 1U << 18U;  // GPUs, or NICs, of one graph
constexpr unsigned lanes = 16;                // of each slot

class Machine {
 public:
  Machine(Assembly& into, const HostPlan& plan, const std::string& host, const std::string& rack, bool alone)
      : into_(into),
        plan_(plan),
        model_(*plan.model),
        host_(host),
        prefix_(alone ? "" : host + "/"),
        key_(alone ? "machine" : host) {
    Node& machine = into_.add(key_, Kind::machine, host, rack);
    machine.attributes["host_name"] = host;
    machine.attributes["architecture"] = std::string(model_.architecture);
    machine.attributes["model"] = std::string(model_.machine);
  }

  std::vector<std::string> build(const std::string& rack) {
    const std::string switches = rack.empty() ? prefix_ + "nvswitch" : rack + "/nvswitch";
    if (rack.empty())
      for (std::size_t i = 0; i < model_.nvlinks.size(); ++i)
        into_.add(fmt::format("{}{}", switches, i), Kind::nvswitch, fmt::format("NVSwitch {}", i), key_);
    if (model_.gpus == 0) {
      for (unsigned k = 0; k < plan_.nics; ++k) nic(k, key_, "");
    } else {
      for (unsigned package = 0; package < packages; ++package) add_package(package);
      into_.join(prefix_ + "package0", prefix_ + "package1", LinkKind::cpu).bandwidth = {0, model_.cpu_link, model_.cpu_link};
    }
    for (const std::string& gpu : gpus_) nvlinks(gpu, switches);
    xgmi_mesh();
    return std::move(ports_);
  }

 private:
  static constexpr unsigned packages = 2;

  void add_package(unsigned number) {
    const std::string package = fmt::format("{}package{}", prefix_, number);
    const std::string numa = fmt::format("{}numa{}", prefix_, number);
    into_.add(package, Kind::package, std::string(model_.processor), key_);
    into_.add(numa, Kind::numa, fmt::format("NUMA {}", number), package);
    into_.join(package, numa, LinkKind::memory).bandwidth = {0, model_.memory, 0};
    const unsigned each = model_.gpus / packages;
    if (model_.pairs == 0)
      own_roots(number * each, each, numa);
    else
      for (unsigned k = number * each; k < (number + 1) * each; k += model_.pairs) below_switch(k, numa);
  }

  std::string root(const std::string& address, const std::string& numa) {
    const std::string key = prefix_ + "pci" + address;
    into_.add(key, Kind::pci_root, "PCIe root " + address, numa);
    into_.join(key, numa, LinkKind::internal);
    return key;
  }

  void slot(const std::string& above, const std::string& device) {
    Link& link = into_.join(above, device, LinkKind::pcie);
    link.capable = link.active = pcie_rate(model_.pcie, lanes);
    link.bandwidth = pcie_bandwidth(link.active);
  }

  // GPUs and NICs from number k on, as many as share a switch.
  void below_switch(unsigned k, const std::string& numa) {
    const unsigned bus = 0x10 + 0x10 * (k / model_.pairs);
    const std::string above = root(fmt::format("0000:{:02x}", bus), numa);
    const std::string at = fmt::format("{}0000:{:02x}:00.0", prefix_, bus + 1);
    into_.add(at, Kind::pci_switch, "PCIe switch", above);
    slot(above, at);
    for (unsigned i = 0; i < model_.pairs; ++i) gpu(fmt::format("0000:{:02x}:00.0", bus + 2 + i), at);
    for (unsigned i = 0; i < model_.pairs; ++i) nic(k + i, at, fmt::format("0000:{:02x}:00.0", bus + 8 + i));
  }

  void own_roots(unsigned first, unsigned count, const std::string& numa) {
    for (unsigned k = first; k < first + count; ++k) {
      gpu(fmt::format("{:04x}:01:00.0", k + 8), root(fmt::format("{:04x}:00", k + 8), numa));
      Link& c2c = into_.join(numa, gpus_.back(), LinkKind::c2c);
      c2c.count = model_.c2c_links;
      c2c.bandwidth.nominal = model_.c2c * model_.c2c_links;
    }
    for (unsigned k = first; k < first + count; ++k)
      nic(k, root(fmt::format("{:04x}:00", k + 0x10), numa), fmt::format("{:04x}:01:00.0", k + 0x10));
  }

  void gpu(const std::string& address, const std::string& above) {
    gpus_.push_back(prefix_ + address);
    Node& node = into_.add(gpus_.back(), Kind::gpu, std::string(model_.gpu), above);
    if (!model_.capability.empty()) node.attributes["compute_capability"] = std::string(model_.capability);
    slot(above, gpus_.back());
  }

  // Without an address its GUID is its key, and it hangs on the machine.
  void nic(unsigned number, const std::string& above, const std::string& address) {
    const std::string guid = into_.next_adapter();
    const std::string key = address.empty() ? guid : prefix_ + address;
    const std::string device = fmt::format("mlx5_{}", number);
    Node& node = into_.add(key, Kind::nic, std::string(model_.nic), above);
    node.attributes["description"] = host_ + ' ' + device;
    node.attributes["node_guid"] = guid;
    node.attributes["pci_class"] = std::string("0207");
    node.attributes["verbs"] = std::vector<std::string>{device};
    if (!address.empty()) slot(above, key);
    ports_.push_back(guid + "/1");
    Node& port = into_.add(ports_.back(), Kind::port, device + "/1", key);
    port.attributes["link_layer"] = std::string("InfiniBand");
    port.attributes["state"] = std::string("active");
    Link& inside = into_.join(key, ports_.back(), LinkKind::internal);
    inside.active = inside.capable = plan_.rate;
    inside.bandwidth = infiniband_bandwidth(plan_.rate);
  }

  void xgmi_mesh() {
    for (std::size_t a = 0; model_.xgmi > 0 && a < gpus_.size(); ++a)
      for (std::size_t b = a + 1; b < gpus_.size(); ++b)
        into_.join(gpus_[a], gpus_[b], LinkKind::xgmi).bandwidth = {0, model_.xgmi, model_.xgmi_usable};
  }

  void nvlinks(const std::string& gpu, const std::string& switches) {
    if (model_.nvlinks.empty()) return;
    const NvlinkGeneration& generation = *nvlink_generation(model_.nvlink, 0, 0);
    for (std::size_t i = 0; i < model_.nvlinks.size(); ++i) {
      const auto count = static_cast<unsigned>(model_.nvlinks[i] - '0');
      Link& link = into_.join(gpu, fmt::format("{}{}", switches, i), LinkKind::nvlink);
      link.count = count;
      link.capable = link.active = generation.rate;
      link.bandwidth = {generation.bandwidth.line * count, generation.bandwidth.nominal * count,
                        generation.bandwidth.usable * count};
      link.attributes["nvlink_version"] = std::string(generation.name);
    }
  }

  Assembly& into_;
  const HostPlan& plan_;
  const HostModel& model_;
  std::string host_, prefix_, key_;
  std::vector<std::string> gpus_, ports_;
};

// The rack that holds machines with NVSwitches in common, and those; gives its key.
std::string add_rack(Assembly& into, const HostModel& model, unsigned number, unsigned digits) {
  const std::string name = fmt::format("rack{:0{}}", number, digits);
  std::string key = fmt::format("domain:{}/1", name);
  into.add(key, Kind::rack, name, "");
  for (std::size_t i = 0; i < model.nvlinks.size(); ++i)
    into.add(fmt::format("{}/nvswitch{}", key, i), Kind::nvswitch, fmt::format("NVSwitch {} of {}", i, name), key);
  return key;
}

}  // namespace

HostPlan plan_host(const GenerateValues& values) {
  HostPlan plan;
  plan.model = &host_model(text_value(values, "host", "dgx-h100"));
  plan.nics = plan.model->nics;
  if (values.contains("nics")) {
    if (plan.model->gpus != 0)
      throw Error(Fault::usage, fmt::format("nics is for host plain: a {} has {} NICs", plan.model->name, plan.model->nics));
    plan.nics = whole_value(values, "nics", 1);
  }
  const std::string_view rate = text_value(values, "rate", plan.model->nic_rate);
  plan.rate = infiniband_rate(rate);
  if (infiniband_bandwidth(plan.rate).nominal <= 0)
    throw Error(Fault::usage, fmt::format("rate {}: expected lanes and speed of InfiniBand, as 4xNDR, 2xHDR or 4xEDR", rate));
  return plan;
}

void check_hosts(const HostPlan& plan, std::uint64_t count) {
  const HostModel& model = *plan.model;
  const unsigned devices = std::max(plan.nics, model.gpus);
  if (count > most_devices / devices)
    throw Error(Fault::usage, fmt::format("{} hosts with {} are too many: one graph has at most {} GPUs, and as many NICs", count,
                                          counted(devices, model.gpus >= plan.nics ? Kind::gpu : Kind::nic), most_devices));
  if (count % model.trays != 0)
    throw Error(Fault::usage, fmt::format("{} hosts do not fill racks: a rack of {} has {} compute trays, each of them a host",
                                          count, model.name, model.trays));
}

HostPorts add_hosts(Assembly& into, const HostPlan& plan, unsigned count) {
  check_hosts(plan, count);
  const HostModel& model = *plan.model;
  const std::size_t digits = fmt::formatted_size("{}", count);
  const auto rack_digits = static_cast<unsigned>(fmt::formatted_size("{}", count / model.trays));
  HostPorts ports;
  ports.reserve(count);
  std::string rack;
  for (unsigned i = 0; i < count; ++i) {
    if (model.trays > 1 && i % model.trays == 0) rack = add_rack(into, model, i / model.trays + 1, rack_digits);
    const std::string host = count == 1 ? std::string(model.name) : fmt::format("node{:0{}}", i + 1, digits);
    ports.push_back(Machine(into, plan, host, rack, count == 1).build(rack));
  }
  return ports;
}

}  // namespace railgauge::topo

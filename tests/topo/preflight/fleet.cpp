// Makes hosts.
#include "tests/topo/preflight/fleet.hpp"

#include <fmt/format.h>

#include <fstream>

namespace railgauge::test {

using topo::Severity;
using topo::preflight::Difference;
using topo::preflight::Fact;
using topo::preflight::HostFacts;

void put(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void record_host(const std::filesystem::path& root) {
  put(root / "proc/sys/kernel/hostname", "h100-07\n");
  put(root / "sys/class/dmi/id/sys_vendor", "NVIDIA\n");
  put(root / "sys/class/dmi/id/product_name", "DGXH100\n");
  put(root / "sys/class/dmi/id/bios_version", "1.1.3\n");
  put(root / "proc/cpuinfo",
      "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\n\nprocessor\t: 1\nmodel name\t: other\n");
  put(root / "sys/devices/system/cpu/online", "0-223\n");
  put(root / "proc/meminfo", "MemTotal:       2113409784 kB\nHugePages_Total:       4\nHugepagesize:    1048576 kB\n");
  put(root / "proc/uptime", "864000.17 1.0\n");
  put(root / "proc/self/limits",
      "Limit                     Soft Limit           Hard Limit           Units\n"
      "Max processes             unlimited            unlimited            processes\n"
      "Max open files            1048576              1048576              files\n"
      "Max locked memory         8388608              unlimited            bytes\n");
  put(root / "proc/self/status",
      "Name:\tx\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-111\nMems_allowed:\t3\nMems_allowed_list:\t0-1\n");
  put(root / "proc/self/cgroup", "0::/slurm/job_1\n");
  put(root / "sys/fs/cgroup/slurm/job_1/cpu.max", "200000 100000\n");
  put(root / "sys/fs/cgroup/slurm/job_1/memory.max", "max\n");
  put(root / "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  put(root / "proc/sys/kernel/numa_balancing", "1\n");
  put(root / "proc/sys/kernel/osrelease", "5.15.0-1042-nvidia\n");
  put(root / "proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=1234 iommu=pt pci=realloc=off quiet\n");
  put(root / "sys/kernel/iommu_groups/0/type", "identity\n");
  put(root / "sys/kernel/iommu_groups/1/type", "DMA-FQ\n");
  put(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  put(root / "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  put(root / "sys/devices/system/cpu/cpufreq/not_a_processor", "x\n");
  put(root / "proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.129.03\n");
  put(root / "proc/modules", "mlx5_ib 1 0 - Live\nnvidia_peermem_other 1 0 - Live\n");
  put(root / "dev/kmsg",
      "4,1,1,-;NVRM: Xid (PCI:0000:1b:00): 31, pid=7, MMU Fault\n4,2,2,-;NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off\n"
      "4,3,3,-;NVRM: Xid (PCI:0000:1b:00): 31, pid=8, MMU Fault\n4,4,4,-;NVRM: Xid (PCI:garbage): 1\n");
  for (const char* device : {"mlx5_0", "mlx5_1"}) {
    const std::filesystem::path folder = root / "sys/class/infiniband" / device;
    put(folder / "fw_ver", "28.39.1002\n");
    put(folder / "node_guid", "a088:c203:00ab:0010\n");
    put(folder / "ports/1/gids/0", "fe80:0000:0000:0000:a088:c203:00ab:0011\n");
    put(folder / "hca_type", "MT4129\n");
    // A card of 16 lanes in a slot of 8.
    put(folder / "device/max_link_speed", "32.0 GT/s PCIe\n");
    put(folder / "device/max_link_width", "16\n");
    put(folder / "max_link_speed", "32.0 GT/s PCIe\n");
    put(folder / "max_link_width", "8\n");
    put(folder / "ports/1/state", "4: ACTIVE\n");
    put(folder / "ports/1/rate", "400 Gb/sec (4X NDR)\n");
    put(folder / "ports/1/link_layer", "Ethernet\n");
    put(folder / "ports/1/gid_attrs/types/0", "IB/RoCE v1\n");
    put(folder / "ports/1/gid_attrs/types/1", std::string(device) == "mlx5_0" ? "RoCE v2\n" : "");
    put(folder / "ports/1/counters/symbol_error", "3\n");
    put(folder / "ports/1/counters/link_downed", "1\n");
    put(folder / "ports/1/counters/port_xmit_data", "100\n");
  }
}

HostFacts host(const std::string& name) {
  HostFacts facts;
  facts.host = name;
  facts.model = "NVIDIA, DGXH100, Xeon 8480C";
  facts.fingerprint = "processor Xeon\n8 x GPU H100\n2 x NIC CX7\n";
  const auto add = [&](const std::string& subject, const char* fact, const std::string& value) {
    facts.facts.push_back({subject, fact, value, {}});
  };
  add("", "memlock", "unlimited");
  add("", "kernel", "5.15.0");
  add("", "uptime", "86400 s");
  add("", "gpus", "8");
  add("", "interfaces", "2");
  add("", "rdma devices", "2");
  for (int i = 0; i < 8; ++i) {
    const std::string gpu = fmt::format("GPU 0000:{:02x}:00.0", 16 + i);
    add(gpu, "gpu uuid", fmt::format("GPU-{}-{}", name, i));
    add(gpu, "gpu name", "NVIDIA H100");
    add(gpu, "vbios", "96.00.30");
    add(gpu, "temperature", fmt::format("{} C", 30 + (name.size() + name.back()) % 9 + i));
    add(gpu, "ecc corrected", fmt::format("{}", name.back() % 5));
  }
  for (int i = 0; i < 2; ++i) {
    const std::string interface = fmt::format("eth{}", i), device = fmt::format("mlx5_{}", i), port = device + "/1";
    add(interface, "state", "up");
    add(interface, "mtu", "9000");
    add(interface, "hardware address", name + interface);
    add(interface, "carrier changes", fmt::format("{}", name.back() % 4));
    add(device, "device firmware", "28.39.1002");
    add(port, "port state", "4: ACTIVE");
    add(port, "counter symbol_error", fmt::format("{}", name.back() % 7));
    facts.facts.push_back({interface, "speed", {}, fmt::format("ethtool {}: no permission", interface)});
  }
  return facts;
}

std::vector<HostFacts> fleet(std::size_t count) {
  std::vector<HostFacts> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(host(fmt::format("n{:03}", i)));
  return all;
}

void set(HostFacts& facts, const std::string& subject, const std::string& name, const std::string& value) {
  for (Fact& fact : facts.facts)
    if (fact.subject == subject && fact.name == name) {
      fact.value = value;
      fact.unread.clear();
      return;
    }
  facts.facts.push_back({subject, name, value, {}});
}

void set_unread(HostFacts& facts, const std::string& subject, const std::string& name, const std::string& reason) {
  set(facts, subject, name, {});
  for (Fact& fact : facts.facts)
    if (fact.subject == subject && fact.name == name) fact.unread = reason;
}

void remove_subject(HostFacts& facts, const std::string& subject) {
  std::erase_if(facts.facts, [&](const Fact& fact) { return fact.subject == subject; });
}

std::string brief(const std::vector<Difference>& differences) {
  std::string text;
  for (const Difference& it : differences)
    text += fmt::format("{} {}{}{} {}: {}; {}\n", word(it.severity), it.host, it.subject.empty() ? "" : ":", it.subject, it.name,
                        it.found, it.expected);
  return text;
}

}  // namespace railgauge::test

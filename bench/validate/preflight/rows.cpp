// The table of all facts: what each is about, whether hosts are compared by it, where it is read, and why a difference matters.
#include <algorithm>
#include <array>

#include "bench/validate/preflight/facts.hpp"

namespace railgauge::topo::preflight {
namespace {

using enum About;
using enum Use;
constexpr Severity fault = Severity::fault, warning = Severity::warning, note = Severity::note;

constexpr std::string_view slower = "hosts with different settings do not run alike, and a collective waits for the slowest";
constexpr std::string_view alike = "Set it as on the other hosts";
constexpr std::string_view versions = "two versions of one software may choose different protocols, or not work together";
constexpr std::string_view install = "Install the version of the other hosts";
constexpr std::string_view absent = "a device that is missing or hidden carries nothing";
constexpr std::string_view look = "Look for the device in lspci and the kernel's log; reseat or replace it";

constexpr auto rows = std::to_array<FactRow>({
    {"reading", host, moving, fault, "reading", "each source, in a process of its own with a deadline", "", ""},
    // The machine.
    {"maker", host, same, note, "maker", "/sys/class/dmi/id/sys_vendor", slower, "Compare like with like"},
    {"product", host, same, note, "product", "/sys/class/dmi/id/product_name", slower, "Compare like with like"},
    {"bios", host, same, warning, "BIOS version", "/sys/class/dmi/id/bios_version", "the BIOS sets PCIe, power and NUMA modes",
     "Install the BIOS of the other hosts, with the same settings"},
    {"processor", host, same, warning, "processor", "/proc/cpuinfo", slower, "Compare like with like"},
    {"processors online", host, same, warning, "processors online", "/sys/devices/system/cpu/online", slower,
     "Look for processors that were taken offline, and for SMT and NUMA settings in the BIOS"},
    {"memory", host, same, warning, "memory (rounded)", "/proc/meminfo",
     "a memory module may be missing or have been switched off", "Look for disabled memory modules in the BIOS's log"},
    {"uptime", host, moving, note, "time since boot", "/proc/uptime", "", ""},
    // Limits.
    {"memlock", host, same, warning, "memlock", "/proc/self/limits", slower,
     "Set memlock alike (limits.conf, the slurmd unit, the container)"},
    {"may lock memory", host, moving, note, "may lock memory beyond memlock", "/proc/self/status (CapEff)", "", ""},
    {"nofile", host, same, note, "open files", "/proc/self/limits", slower, alike},
    {"processes", host, same, note, "processes", "/proc/self/limits", slower, alike},
    {"processors allowed", host, same, note, "processors allowed", "/proc/self/status (Cpus_allowed_list)",
     "ranks that share fewer processors wait for each other", "Ask the launcher for the same processors on each host"},
    {"memory nodes allowed", host, same, warning, "NUMA nodes allowed", "/proc/self/status (Mems_allowed_list)", slower, alike},
    {"cgroup processors", host, same, warning, "processor time of the cgroup", "/sys/fs/cgroup/.../cpu.max",
     "a quota stops ranks in the middle of a collective", "Give the job the same quota on each host, best none"},
    {"cgroup memory", host, same, note, "memory limit of the cgroup", "/sys/fs/cgroup/.../memory.max", slower, alike},
    // Memory.
    {"shm size", host, same, warning, "size of /dev/shm", "statvfs of /dev/shm", slower,
     "Mount /dev/shm with the same size (containers: --shm-size)"},
    {"shm free", host, moving, note, "free in /dev/shm", "statvfs of /dev/shm", "", ""},
    {"huge pages", host, same, warning, "huge pages reserved", "/proc/meminfo (HugePages_Total, Hugepagesize)", slower, alike},
    {"transparent huge pages", host, same, warning, "transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled",
     slower, alike},
    {"numa balancing", host, same, warning, "automatic NUMA balancing", "/proc/sys/kernel/numa_balancing", slower, alike},
    // Kernel.
    {"kernel", host, same, warning, "kernel", "/proc/sys/kernel/osrelease", versions, install},
    {"boot options", host, same, warning, "boot options that matter",
     "/proc/cmdline (iommu, pci, numa, isolcpus, mitigations, ...)", slower, "Boot with the options of the other hosts"},
    {"iommu", host, same, warning, "IOMMU", "/sys/kernel/iommu_groups/*/type", slower,
     "Set the IOMMU alike in the BIOS and in the boot options"},
    {"governor", host, same, warning, "frequency governor", "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", slower,
     alike},
    {"frequency driver", host, same, note, "frequency driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", slower,
     alike},
    {"smt", host, same, warning, "SMT", "/sys/devices/system/cpu/smt/control", slower, "Switch SMT on or off alike"},
    {"clock source", host, same, warning, "clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource",
     "each reading of a clock that is not tsc costs a system call or more", "Look in the kernel's log why tsc was given up"},
    {"congestion control", host, same, warning, "TCP congestion control", "/proc/sys/net/ipv4/tcp_congestion_control", slower,
     alike},
    {"tcp ecn", host, same, note, "ECN of TCP", "/proc/sys/net/ipv4/tcp_ecn", slower, alike},
    {"tcp receive memory", host, same, warning, "tcp_rmem", "/proc/sys/net/ipv4/tcp_rmem", slower, alike},
    {"tcp send memory", host, same, warning, "tcp_wmem", "/proc/sys/net/ipv4/tcp_wmem", slower, alike},
    {"socket receive memory", host, same, note, "rmem_max", "/proc/sys/net/core/rmem_max", slower, alike},
    {"socket send memory", host, same, note, "wmem_max", "/proc/sys/net/core/wmem_max", slower, alike},
    {"rp filter", host, same, note, "rp_filter", "/proc/sys/net/ipv4/conf/all/rp_filter",
     "a strict filter drops what comes by another interface than it would go by", alike},
    // Modules and libraries.
    {"nvidia_peermem", host, same, warning, "nvidia_peermem", "/proc/modules",
     "without it, or dmabuf, NICs do not reach GPU memory themselves",
     "Load the module nvidia_peermem, or unload it on all hosts and use dmabuf"},
    {"gpu driver kind", host, same, warning, "kind of GPU driver", "/proc/driver/nvidia/version", versions, install},
    {"dmabuf", host, same, warning, "dmabuf for RDMA", "kernel >= 5.12 and the open GPU driver",
     "without it, or nvidia_peermem, NICs do not reach GPU memory themselves",
     "Install the open kernel modules of the GPU driver"},
    {"library", host, same, warning, "library", "what each transport says of its library", versions, install},
    // GPUs.
    {"gpus", host, moving, fault, "GPUs", "NVML", absent, look},
    {"gpu driver", host, same, warning, "GPU driver", "NVML", versions, install},
    {"cuda of driver", host, same, warning, "CUDA version of the driver", "NVML", versions, install},
    {"gpus granted", host, moving, note, "GPUs that the job was granted", "CUDA_VISIBLE_DEVICES, SLURM_GPUS_ON_NODE and the like",
     "", ""},
    {"gpu uuid", gpu, moving, note, "UUID", "NVML", "", ""},
    {"gpu name", gpu, same, fault, "name", "NVML", slower, "Compare like with like"},
    {"vbios", gpu, same, warning, "VBIOS", "NVML", versions, "Update the VBIOS to that of the other hosts"},
    {"gpu memory", gpu, same, warning, "memory", "NVML", slower, "Look for retired memory, and for MIG"},
    {"persistence", gpu, same, warning, "persistence mode", "NVML",
     "without it the driver starts anew for each job, and forgets its settings", "nvidia-smi -pm 1, or nvidia-persistenced"},
    {"mig", gpu, same, warning, "MIG", "NVML", "a GPU that is divided has no NVLink peers",
     "nvidia-smi -mig 0, or 1, as on the other hosts"},
    {"compute mode", gpu, same, warning, "compute mode", "NVML", "an exclusive or prohibited GPU refuses ranks",
     "nvidia-smi -c 0"},
    {"ecc", gpu, same, warning, "ECC", "NVML", slower, "nvidia-smi -e 1, and a reset"},
    {"power limit", gpu, same, warning, "power limit", "NVML", "a lower limit makes the GPU slower than its peers",
     "nvidia-smi -pl WATTS, as on the other hosts"},
    {"highest sm clock", gpu, same, warning, "highest SM clock", "NVML", slower, "nvidia-smi -rgc, or lock clocks alike"},
    {"highest memory clock", gpu, same, warning, "highest memory clock", "NVML", slower, "nvidia-smi -rmc, or lock clocks alike"},
    {"sm clock", gpu, moving, note, "SM clock now", "NVML", "", ""},
    {"memory clock", gpu, moving, note, "memory clock now", "NVML", "", ""},
    {"temperature", gpu, moving, note, "temperature", "NVML", "", ""},
    {"clocks held by", gpu, moving, note, "clocks are throttled by", "NVML", "", ""},
    {"ecc corrected", gpu, counter, note, "ECC errors corrected since boot", "NVML", "", ""},
    {"ecc uncorrected", gpu, counter, note, "ECC errors not corrected since boot", "NVML", "", ""},
    {"ecc uncorrected ever", gpu, counter, note, "ECC errors not corrected in its life", "NVML", "", ""},
    {"rows remapped", gpu, counter, note, "rows remapped for errors not corrected", "NVML", "", ""},
    {"row remap pending", gpu, moving, note, "row remap pending", "NVML", "", ""},
    {"row remap failed", gpu, moving, note, "row remap failed", "NVML", "", ""},
    {"pcie replays", gpu, counter, note, "PCIe replays", "NVML", "", ""},
    {"xid", gpu, moving, note, "Xid since boot", "/dev/kmsg", "", ""},
    // Network interfaces.
    {"interfaces", host, moving, fault, "network interfaces", "rtnetlink", absent, look},
    {"state", interface, same, fault, "state", "rtnetlink", "an interface that is down carries nothing",
     "Bring the interface up; look at its cable and switch port", true},
    {"mtu", interface, same, fault, "MTU", "rtnetlink",
     "packets that the peer or a switch does not take are lost, and small ones are slower", "Set one MTU on hosts and switches"},
    {"kind", interface, same, note, "kind", "rtnetlink", slower, alike},
    {"queue", interface, same, warning, "queue discipline", "rtnetlink", "a queue discipline may limit or delay what is sent",
     "tc qdisc: set it as on the other hosts"},
    {"ipv4 addresses", interface, same, warning, "IPv4 addresses", "getifaddrs",
     "an interface without an address is not used, and one too many may be", "Give the interface its addresses"},
    {"speed", interface, same, fault, "speed", "ethtool", "the link trained at another speed than those of its peers",
     "Look at cable, module and the switch port's setting"},
    {"driver", interface, same, warning, "driver", "ethtool", versions, install},
    {"driver version", interface, same, note, "driver version", "ethtool", versions, install},
    {"firmware", interface, same, warning, "firmware", "ethtool", versions, "Update the firmware to that of the other hosts"},
    {"pause", interface, same, warning, "link pause", "ethtool", "a loss-free network needs the same flow control at every end",
     "ethtool -A, as on the other hosts"},
    {"pfc", interface, same, warning, "PFC", "dcb", "a loss-free network needs the same flow control at every end",
     "Set the same priorities (dcb pfc, mlnx_qos) on hosts and switches"},
    {"roce ecn", interface, same, warning, "ECN of RoCE", "/sys/class/net/*/ecn",
     "without ECN the network is stopped by pauses when it is full", "Switch ECN on for the same priorities everywhere"},
    {"carrier changes", interface, counter, note, "carrier changes", "rtnetlink", "", ""},
    {"hardware address", interface, moving, note, "hardware address", "rtnetlink", "", ""},
    // RDMA devices and ports.
    {"rdma devices", host, moving, fault, "RDMA devices", "/sys/class/infiniband", absent, look},
    {"device firmware", device, same, warning, "firmware", "/sys/class/infiniband/*/fw_ver", versions,
     "Update the firmware to that of the other hosts"},
    {"device type", device, same, warning, "type", "/sys/class/infiniband/*/hca_type", slower, "Compare like with like"},
    {"board", device, same, note, "board", "/sys/class/infiniband/*/board_id", slower, "Compare like with like"},
    {"card", device, moving, note, "PCI address of the card", "/sys/class/infiniband/*/device", "", ""},
    {"slot", device, moving, note, "PCIe of card and slot", "max_link_speed and max_link_width of the card and the slot above it",
     "", ""},
    {"node guid", device, moving, note, "GUID", "/sys/class/infiniband/*/node_guid", "", ""},
    {"port guid", port, moving, note, "GUID of the port", "/sys/class/infiniband/*/ports/*/gids/0", "", ""},
    {"port state", port, same, fault, "state", "/sys/class/infiniband/*/ports/*/state",
     "a port that is not active carries nothing", "Look at cable, switch port and subnet manager", true},
    {"port rate", port, same, fault, "rate", "/sys/class/infiniband/*/ports/*/rate",
     "the link trained at another rate than those of its peers", "Reseat or replace the cable; look at the switch port"},
    {"link layer", port, same, fault, "link layer", "/sys/class/infiniband/*/ports/*/link_layer", slower,
     "Set the port's type alike (mlxconfig LINK_TYPE)"},
    {"gid types", port, same, warning, "GID types", "/sys/class/infiniband/*/ports/*/gid_attrs/types",
     "ranks that choose a GID of another kind do not meet", "Give the port an IPv4 address, so that it has a RoCE v2 GID"},
    {"traffic class", port, same, warning, "traffic class", "/sys/class/infiniband/*/tc/*/traffic_class", slower, alike},
    // PCIe.
    {"max payload", pcie, same, warning, "PCIe max payload", "configuration space, root alone",
     "small packets waste up to a tenth of the link", "Boot with pci=pcie_bus_perf, or set it alike in the BIOS"},
    {"max read request", pcie, same, warning, "PCIe max read request", "configuration space, root alone",
     "a NIC that asks for little at a time reads slowly", "setpci, or the BIOS: set it as on the other hosts"},
    {"acs", pcie, same, warning, "PCIe ACS", "configuration space, root alone",
     "redirection sends what GPUs and NICs say to each other through the processor",
     "Disable ACS redirection in the BIOS or with setpci"},
    {"aer correctable", pcie, counter, note, "PCIe errors corrected", "aer_dev_correctable", "", ""},
    {"aer nonfatal", pcie, counter, note, "PCIe errors not corrected", "aer_dev_nonfatal", "", ""},
    {"aer fatal", pcie, counter, note, "PCIe errors, fatal", "aer_dev_fatal", "", ""},
    {"counter", port, counter, note, "counter",
     "/sys/class/infiniband/*/ports/*/counters and hw_counters, /sys/class/net/*/statistics", "", ""},
});

}  // namespace

std::span<const FactRow> fact_rows() noexcept { return rows; }

const FactRow* row_of(std::string_view name) noexcept {
  if (name.starts_with("counter ")) name = "counter";
  const auto* const at = std::find_if(rows.begin(), rows.end(), [&](const FactRow& row) { return row.name == name; });
  return at == rows.end() ? nullptr : at;
}

Area area_of(const FactRow& row) noexcept {
  if (row.link) return Area::link;
  return row.about == About::gpu ? Area::gpu : row.about == About::pcie ? Area::pcie : Area::setting;
}

std::string spoken(std::string_view name) {
  const FactRow* const row = row_of(name);
  return std::string(row == nullptr || row->name == "counter" ? name : row->spoken);
}

}  // namespace railgauge::topo::preflight

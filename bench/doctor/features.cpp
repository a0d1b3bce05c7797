#include "bench/doctor/features.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace railgauge::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t mebi = std::uint64_t{1} << 20U;
constexpr std::uint64_t least_shared_memory = 1024 * mebi;  // containers are given 64 MiB, which a few ranks fill
constexpr std::string_view nvidia = "0x10de", mellanox = "0x15b3";

Answer works(std::string reason) { return {State::works, std::move(reason), nullptr}; }
Answer absent(std::string reason) { return {State::absent, std::move(reason), nullptr}; }
Answer broken(std::string reason, const Remedy& remedy) { return {State::broken, std::move(reason), &remedy}; }

bool has_pci(const Machine& machine, std::string_view vendor, std::string_view class_begins) {
  for (const fs::path& device : entries_of(machine, "sys/bus/pci/devices")) {
    const std::string folder = device.lexically_relative(machine.root).string();
    if (line_of(machine, folder + "/vendor") == vendor &&
        line_of(machine, folder + "/class").value_or("").starts_with(class_begins))
      return true;
  }
  return false;
}
bool has_gpu(const Machine& machine) { return has_pci(machine, nvidia, "0x03"); }
constexpr const char* no_gpu = "no NVIDIA GPU on the PCI bus";

// Plugins that this build left out.
constexpr Remedy build_again{
    "build railgauge where the headers of the library are (docs/building.md)",
    "apt-get install libucx-dev libibverbs-dev librdmacm-dev libpmix-dev libibnetdisc-dev, and then ci/quickstart"};
constexpr Remedy build_with_cuda{"build railgauge where CUDA's toolkit is (docs/building.md)"};

Answer plugin(const Machine& machine, std::string_view name, std::string_view there, const Remedy& library, const Remedy& build) {
  const PluginState state = machine.plugin(name);
  if (!state.built) return broken(fmt::format("this build has no plugin {}", name), build);
  if (!state.reason.empty()) return broken(state.reason, library);
  return works(std::string(there));
}

// The lowest driver that runs programs of a CUDA (its release notes, "minor version compatibility").
int lowest_driver(int cuda_major) { return cuda_major >= 13 ? 580 : 525; }

Answer driver(const Machine& machine) {
  static constexpr Remedy install{"install NVIDIA's driver (https://www.nvidia.com/drivers), and then: modprobe nvidia",
                                  "apt-get install nvidia-driver && modprobe nvidia",
                                  "dnf module install nvidia-driver:latest-dkms && modprobe nvidia",
                                  "zypper install nvidia-open-driver-G06-signed-kmp-default && modprobe nvidia"};
  static constexpr Remedy update{"update NVIDIA's driver", "apt-get install --only-upgrade nvidia-driver, and then reboot",
                                 "dnf module update nvidia-driver, and then reboot",
                                 "zypper update nvidia-open-driver-G06-signed-kmp-default, and then reboot"};
  if (!has_gpu(machine)) return absent(no_gpu);
  const std::optional<std::string> version = line_of(machine, "sys/module/nvidia/version");
  if (!version) return broken("there is a GPU, and the kernel module nvidia is not loaded", install);
  if (machine.cuda_major != 0 && std::atoi(version->c_str()) < lowest_driver(machine.cuda_major))
    return broken(fmt::format("driver {} is older than {}, which CUDA {} needs", *version, lowest_driver(machine.cuda_major),
                              machine.cuda_major),
                  update);
  if (const std::string reason = machine.library("libcuda.so.1"); !reason.empty()) return broken(reason, install);
  return works(fmt::format("driver {}", *version));
}

Answer gpu_buffers(const Machine& machine) {
  const Answer answer = driver(machine);
  if (answer.state != State::works) return answer;
  return plugin(machine, "cuda", answer.reason, build_with_cuda, build_with_cuda);
}

Answer nccl(const Machine& machine) {
  static constexpr Remedy library{
      "install NCCL (https://developer.nvidia.com/nccl)", "apt-get install libnccl2 (of NVIDIA's repository)",
      "dnf install libnccl (of NVIDIA's repository)", "zypper install libnccl (of NVIDIA's repository)"};
  if (!has_gpu(machine)) return absent(no_gpu);
  return plugin(machine, "nccl", "libnccl.so.2 is there", library, build_with_cuda);
}

Answer cuda_ipc(const Machine& machine) {
  if (!has_gpu(machine)) return absent(no_gpu);
  return plugin(machine, "cuda_ipc", "the driver can be loaded", build_with_cuda, build_with_cuda);
}

Answer nvml(const Machine& machine) {
  static constexpr Remedy library{"install libnvidia-ml.so.1 of the driver that runs", "apt-get install libnvidia-ml1",
                                  "dnf install nvidia-driver-cuda-libs", "zypper install nvidia-compute-G06"};
  if (!has_gpu(machine)) return absent(no_gpu);
  if (const std::string reason = machine.library("libnvidia-ml.so.1"); !reason.empty()) return broken(reason, library);
  return works("libnvidia-ml.so.1 is there");
}

Answer ucx(const Machine& machine) {
  static constexpr Remedy library{"install UCX 1.13 or newer", "apt-get install libucx0", "dnf install ucx",
                                  "zypper install libucp0"};
  return plugin(machine, "ucx", "libucp.so.0 is there", library, build_again);
}

std::string rdma_devices(const Machine& machine) {
  std::string names;
  for (const fs::path& device : entries_of(machine, "sys/class/infiniband"))
    names += fmt::format("{}{}", names.empty() ? "" : ", ", device.filename().string());
  return names;
}
constexpr const char* no_rdma = "no RDMA device (sys/class/infiniband)";

Answer verbs(const Machine& machine) {
  static constexpr Remedy module{"modprobe mlx5_ib"};
  static constexpr Remedy user{"modprobe ib_uverbs"};
  static constexpr Remedy library{"install rdma-core", "apt-get install libibverbs1 ibverbs-providers librdmacm1",
                                  "dnf install libibverbs librdmacm rdma-core",
                                  "zypper install libibverbs1 librdmacm1 rdma-core"};
  const std::string devices = rdma_devices(machine);
  if (devices.empty() && has_pci(machine, mellanox, "0x02"))
    return broken("there is a NIC of NVIDIA (Mellanox) without an RDMA device", module);
  if (devices.empty()) return absent(no_rdma);
  if (entries_of(machine, "sys/class/infiniband_verbs").empty())
    return broken("programs cannot reach the RDMA devices: ib_uverbs is not loaded", user);
  return plugin(machine, "verbs", "RDMA devices: " + devices, library, build_again);
}

Answer fabric(const Machine& machine) {
  static constexpr Remedy module{"modprobe ib_umad"};
  static constexpr Remedy library{"install libibnetdisc, libibmad and libibumad",
                                  "apt-get install libibnetdisc5 libibmad5 libibumad3", "dnf install infiniband-diags libibumad",
                                  "zypper install libibnetdisc5 libibmad5 libibumad3"};
  const std::vector<fs::path> devices = entries_of(machine, "sys/class/infiniband");
  bool infiniband = false;
  for (const fs::path& device : devices) {
    const std::string ports = device.lexically_relative(machine.root).string() + "/ports";
    for (const fs::path& port : entries_of(machine, ports))
      infiniband |= line_of(machine, port.lexically_relative(machine.root).string() + "/link_layer") == "InfiniBand";
  }
  if (!infiniband) return absent("no port of InfiniBand");
  bool umad = false;
  for (const fs::path& each : entries_of(machine, "sys/class/infiniband_mad"))
    umad |= each.filename().string().starts_with("umad");
  if (!umad) return broken("ib_umad is not loaded", module);
  return plugin(machine, "ibfabric", "ports of InfiniBand, and ib_umad", library, build_again);
}

Answer pinned_memory(const Machine& machine) {
  static constexpr Remedy limit{
      "ulimit -l unlimited (for all: a line '* - memlock unlimited' in /etc/security/limits.d/rdma.conf; LimitMEMLOCK=infinity "
      "for slurmd)"};
  if (!machine.locked_memory) return works("unlimited");
  const std::string text = fmt::format("{} KiB", *machine.locked_memory / 1024);
  if (rdma_devices(machine).empty()) return works(text + ", and no RDMA device that needs more");
  return broken(text + "; RDMA pins all buffers", limit);
}

Answer launchers(const Machine& machine) {
  static constexpr Remedy install{"install Open MPI or Slurm", "apt-get install openmpi-bin libpmix2", "dnf install openmpi pmix",
                                  "zypper install openmpi4 libpmix2"};
  static constexpr Remedy library{"install PMIx", "apt-get install libpmix2", "dnf install pmix", "zypper install libpmix2"};
  std::string found;
  for (const char* const name : {"mpirun", "prterun", "srun"})
    if (machine.program(name)) found += fmt::format("{}{}", found.empty() ? "" : ", ", name);
  if (found.empty()) return broken("neither mpirun, prterun nor srun is in PATH; --ranks N needs none of them", install);
  return plugin(machine, "pmix", found, library, build_again);
}

Answer shared_memory(const Machine& machine) {
  static constexpr Remedy larger{
      "mount -o remount,size=8G /dev/shm (containers: docker run --shm-size=8g; Kubernetes: an emptyDir with medium: Memory)"};
  static constexpr Remedy mount{"mount -t tmpfs -o size=8G tmpfs /dev/shm"};
  const std::uint64_t bytes = machine.file_system_bytes(machine.root / "dev/shm");
  if (bytes == 0) return broken("/dev/shm is not there", mount);
  const std::string text = fmt::format("{} MiB", bytes / mebi);
  return bytes < least_shared_memory ? broken(text + " are full with a few ranks at large sizes", larger) : works(text);
}

Answer ptrace(const Machine& machine) {
  static constexpr Remedy allow{"sysctl -w kernel.yama.ptrace_scope=0"};
  const std::optional<std::string> scope = line_of(machine, "proc/sys/kernel/yama/ptrace_scope");
  if (!scope || *scope == "0") return works("ranks may read each other");
  return broken("kernel.yama.ptrace_scope=" + *scope + ": ranks may not read each other", allow);
}

Answer huge_pages(const Machine& machine) {
  static constexpr Remedy advise{"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  const std::optional<std::string> mode = line_of(machine, "sys/kernel/mm/transparent_hugepage/enabled");
  if (!mode) return absent("this kernel has no transparent huge pages");
  if (mode->find("[never]") != std::string::npos) return broken("transparent huge pages are off", advise);
  return works(*mode);
}

Answer clock(const Machine& machine) {
  static constexpr Remedy tsc{"echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"};
  const std::string folder = "sys/devices/system/clocksource/clocksource0/";
  const std::optional<std::string> now = line_of(machine, folder + "current_clocksource");
  if (!now) return absent("the kernel does not say which clock it has");
  const bool slow = *now == "hpet" || *now == "acpi_pm" || *now == "jiffies" || *now == "refined-jiffies";
  if (!slow) return works(*now);
  const std::string text = *now + " needs a system call of about a microsecond for each time";
  const bool better =
      (" " + line_of(machine, folder + "available_clocksource").value_or("") + " ").find(" tsc ") != std::string::npos;
  return better ? broken(text, tsc) : absent(text + ", and there is no other");
}

Answer governor(const Machine& machine) {
  static constexpr Remedy performance{"cpupower frequency-set -g performance",
                                      "apt-get install linux-cpupower && cpupower frequency-set -g performance",
                                      "dnf install kernel-tools && cpupower frequency-set -g performance",
                                      "zypper install cpupower && cpupower frequency-set -g performance"};
  const std::optional<std::string> now = line_of(machine, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!now) return absent("this kernel does not set clocks: firmware or a hypervisor does");
  return *now == "powersave" || *now == "conservative" ? broken("the governor is " + *now, performance)
                                                       : works("the governor is " + *now);
}

Answer energy(const Machine& machine) {
  static constexpr Remedy read{"chmod a+r /sys/class/powercap/*/energy_uj (until the next boot)"};
  for (const fs::path& zone : entries_of(machine, "sys/class/powercap")) {
    std::error_code fault;
    if (!fs::exists(zone / "energy_uj", fault)) continue;
    if (!std::ifstream(zone / "energy_uj").good()) return broken("counters of energy may not be read by this user", read);
    return works(zone.filename().string());
  }
  return absent("no counter of energy (sys/class/powercap); virtual machines have none");
}

Answer charts(const Machine& machine) {
  static constexpr Remedy build{"build railgauge where node and npm are (docs/building.md)",
                                "apt-get install nodejs npm, and then ci/quickstart"};
  return machine.charts ? works("built in") : broken("this build has none; pages have tables alone", build);
}

Answer history_server(const Machine& machine) {
  static constexpr Remedy library{"install SOCI's library for PostgreSQL", "apt-get install libsoci-postgresql4.0",
                                  "dnf install soci-postgresql", "zypper install libsoci_postgresql4_0"};
  if (const std::string reason = machine.library("libsoci_postgresql.so.4.0"); !reason.empty()) return broken(reason, library);
  return works("libsoci_postgresql.so.4.0 is there");
}

constexpr std::array rows{
    Feature{"GPU buffers", "--memory cuda, bench copy", gpu_buffers},
    Feature{"NCCL", "--transport nccl", nccl},
    Feature{"CUDA IPC", "--transport cuda_ipc", cuda_ipc},
    Feature{"NVML", "NVLink and GPUs in topo, GPU power", nvml},
    Feature{"UCX", "--transport ucx: TCP, InfiniBand, RoCE", ucx},
    Feature{"RDMA", "--transport verbs, bench write, read, send", verbs},
    Feature{"fabric discovery", "topo --fabric", fabric},
    Feature{"locked memory", "RDMA", pinned_memory},
    Feature{"launchers", "ranks of mpirun, prterun and srun", launchers},
    Feature{"shared memory", "--transport shm", shared_memory},
    Feature{"ptrace", "cuda_ipc.handles=fd, UCX between processes of a host", ptrace},
    Feature{"huge pages", "bandwidth of large buffers", huge_pages},
    Feature{"clock", "times of microseconds", clock},
    Feature{"CPU clocks", "times that repeat", governor},
    Feature{"CPU energy", "joules of a point", energy},
    Feature{"charts", "report, pages of history and validate", charts},
    Feature{"PostgreSQL", "history on a server", history_server},
};

}  // namespace

std::span<const Feature> features() { return rows; }

}  // namespace railgauge::doctor

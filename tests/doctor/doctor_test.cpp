// What railgauge doctor says of machines that the tests make up.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/doctor/features.hpp"
#include "tests/test.hpp"

namespace railgauge::doctor {
namespace {

namespace fs = std::filesystem;
using test::ContainsSubstring;

class Made {
 public:
  Made() {
    std::string name = (fs::temp_directory_path() / "railgauge-doctor.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    machine.root = name;
    machine.library = [](std::string_view) { return std::string(); };
    machine.plugin = [](std::string_view) { return PluginState{true, {}}; };
    machine.program = [](std::string_view program) { return program == "mpirun"; };
    machine.file_system_bytes = [](const fs::path&) { return std::uint64_t{8} << 30U; };
    machine.charts = true;
    machine.cuda_major = 13;
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    std::error_code fault;
    fs::remove_all(machine.root, fault);
  }
  void file(const std::string& path, const std::string& text) const {
    fs::create_directories((machine.root / path).parent_path());
    std::ofstream(machine.root / path) << text << "\n";
  }
  void pci(const std::string& address, const std::string& vendor, const std::string& kind) const {
    file("sys/bus/pci/devices/" + address + "/vendor", vendor);
    file("sys/bus/pci/devices/" + address + "/class", kind);
  }
  [[nodiscard]] Finding finding(const std::string& feature) const {
    for (const Finding& each : examine(machine))
      if (each.feature == feature) return each;
    FAIL("there is no feature " + feature);
    return {};
  }
  Machine machine;
};

}  // namespace

TEST_CASE("doctor: missing hardware is a result, and has no command") {
  const Made made;
  for (const char* feature : {"GPU buffers", "NCCL", "CUDA IPC", "NVML", "RDMA", "fabric discovery", "CPU energy"}) {
    const Finding found = made.finding(feature);
    CHECK(found.state == State::absent);
    CHECK(found.command.empty());
    CHECK_FALSE(found.reason.empty());
  }
  for (const Finding& each : examine(made.machine)) CHECK(each.state != State::broken);
}

TEST_CASE("doctor: a missing library has the command of the distribution") {
  Made made;
  made.machine.plugin = [](std::string_view name) {
    return name == "ucx" ? PluginState{true, "libucp.so.0: cannot open shared object file"} : PluginState{true, {}};
  };
  struct Row {
    const char *release, *command;
  };
  for (const Row& row :
       {Row{"ID=debian", "apt-get install libucx0"}, Row{"ID=ubuntu\nID_LIKE=debian", "apt-get install libucx0"},
        Row{"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"", "dnf install ucx"},
        Row{"ID=\"sles\"\nID_LIKE=\"suse\"", "zypper install libucp0"}, Row{"ID=gentoo", "install UCX 1.13 or newer"}}) {
    made.file("etc/os-release", row.release);
    const Finding found = made.finding("UCX");
    CHECK(found.state == State::broken);
    CHECK_THAT(found.reason, ContainsSubstring("libucp.so.0"));
    CHECK(found.command == row.command);
  }
}

TEST_CASE("doctor: a GPU needs a driver that is new enough") {
  Made made;
  made.pci("0000:17:00.0", "0x10de", "0x030200");
  CHECK_THAT(made.finding("GPU buffers").reason, ContainsSubstring("nvidia is not loaded"));
  made.file("sys/module/nvidia/version", "570.86.15");
  CHECK_THAT(made.finding("GPU buffers").reason, ContainsSubstring("570.86.15 is older than 580, which CUDA 13 needs"));
  made.machine.cuda_major = 12;
  CHECK(made.finding("GPU buffers").state == State::works);
  made.machine.library = [](std::string_view name) {
    return name == "libcuda.so.1" ? std::string("libcuda.so.1: gone") : std::string();
  };
  CHECK(made.finding("GPU buffers").reason == "libcuda.so.1: gone");
  CHECK(made.finding("NVML").state == State::works);
}

TEST_CASE("doctor: RDMA needs its modules, and memory that may be pinned") {
  Made made;
  made.pci("0000:18:00.0", "0x15b3", "0x020700");
  CHECK(made.finding("RDMA").command == "modprobe mlx5_ib");
  made.file("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand");
  CHECK(made.finding("RDMA").command == "modprobe ib_uverbs");
  made.file("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0");
  CHECK(made.finding("RDMA").reason == "RDMA devices: mlx5_0");
  CHECK(made.finding("fabric discovery").command == "modprobe ib_umad");
  made.file("sys/class/infiniband_mad/umad0/ibdev", "mlx5_0");
  CHECK(made.finding("fabric discovery").state == State::works);
  CHECK(made.finding("locked memory").state == State::works);
  made.machine.locked_memory = 8192 * 1024;
  CHECK_THAT(made.finding("locked memory").command, ContainsSubstring("ulimit -l unlimited"));
}

TEST_CASE("doctor: limits of the system") {
  Made made;
  made.machine.file_system_bytes = [](const fs::path&) { return std::uint64_t{64} << 20U; };
  CHECK_THAT(made.finding("shared memory").command, ContainsSubstring("remount"));
  made.machine.file_system_bytes = [](const fs::path&) { return std::uint64_t{0}; };
  CHECK_THAT(made.finding("shared memory").command, ContainsSubstring("mount -t tmpfs"));
  made.file("proc/sys/kernel/yama/ptrace_scope", "1");
  CHECK(made.finding("ptrace").command == "sysctl -w kernel.yama.ptrace_scope=0");
  made.file("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  CHECK(made.finding("huge pages").state == State::broken);
  const std::string clocks = "sys/devices/system/clocksource/clocksource0/";
  made.file(clocks + "current_clocksource", "hpet");
  made.file(clocks + "available_clocksource", "hpet acpi_pm");
  CHECK(made.finding("clock").state == State::absent);
  made.file(clocks + "available_clocksource", "tsc hpet acpi_pm");
  CHECK_THAT(made.finding("clock").command, ContainsSubstring("echo tsc"));
  made.file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  CHECK_THAT(made.finding("CPU clocks").command, ContainsSubstring("performance"));
  made.machine.program = [](std::string_view) { return false; };
  CHECK_THAT(made.finding("launchers").reason, ContainsSubstring("neither mpirun"));
}

TEST_CASE("doctor: both forms have every feature once, and each that is broken its command") {
  Made made;
  made.machine.charts = false;
  made.file("etc/os-release", "PRETTY_NAME=\"Made Up 1\"\nID=debian");
  const std::vector<Finding> findings = examine(made.machine);
  const Distribution distribution = distribution_of(made.machine.root);
  const auto document = nlohmann::json::parse(to_json(findings, distribution));
  CHECK(document["distribution"] == "Made Up 1");
  std::set<std::string> names;
  const std::string text = to_text(findings, distribution);
  for (const auto& each : document["features"]) {
    CHECK(names.insert(each["feature"].get<std::string>()).second);
    CHECK(each.contains("command") == (each["state"] == "broken"));
    CHECK_THAT(text, ContainsSubstring(each["reason"].get<std::string>()));
    if (each.contains("command")) CHECK_THAT(text, ContainsSubstring(each["command"].get<std::string>()));
  }
  CHECK(names.size() == features().size());
  CHECK_THAT(text, ContainsSubstring("1 can be mended"));
}

}  // namespace railgauge::doctor

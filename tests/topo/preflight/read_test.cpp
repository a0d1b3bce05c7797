// Recorded hosts, an imitated GPU driver, and this machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/preflight/fleet.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::topo::preflight;

namespace {

constexpr std::chrono::minutes patient(2);  // other work on this machine must not fail a test

Interface card(const std::string& name) {
  Interface it;
  it.name = name;
  it.state = "up";
  it.hardware_address = "02:00:00:00:00:01";
  it.queue = "mq";
  it.mtu = 9000;
  it.ipv4 = 1;
  it.carrier_changes = 2;
  it.errors = {{"rx_errors", 4}};
  it.speed.value = "100000 Mb/s";
  it.driver.value = "mlx5_core";
  it.driver_version.value = "5.15";
  it.firmware.value = "28.39.1002";
  it.pause.unread = "ethtool pause: Operation not supported";
  it.pfc.value = "priorities 3";
  return it;
}

// Of a recorded host, with what no file tells; its GPUs are those of the imitated library, where one is described.
ReadOptions options_of(const std::filesystem::path& root) {
  ReadOptions options;
  options.root = root;
  options.nvml = RAILGAUGE_FAKE_NVML_LIBRARY;
  options.patience = options.all = patient;
  options.interfaces = [] {
    Interface bridge = card("docker0");
    bridge.kind = "bridge";
    return std::vector<Interface>{card("eth0"), bridge};
  };
  options.space = [](const std::filesystem::path&) { return Space{64U << 20U, 63U << 20U}; };
  return options;
}

Condition condition_of(const HostFacts& facts, std::string_view subject, std::string_view name) {
  for (const Fact& fact : facts.facts)
    if (fact.subject == subject && fact.name == name) return fact.condition;
  return Condition::plain;
}

// The value, or "unread: why"; "" where nothing is said.
std::string said(const HostFacts& facts, const std::string& subject, const std::string& name) {
  for (const Fact& fact : facts.facts)
    if (fact.subject == subject && fact.name == name) return fact.unread.empty() ? fact.value : "unread: " + fact.unread;
  return {};
}

// The machine that the imitated library plays, and these lines besides.
class Played {
 public:
  Played(const std::string& machine, const std::string& lines) {
    const auto file = scratch_.path() / "nvml.txt";
    fill(file, contents(machine_file(machine) / "nvml.txt") + lines);
    ::setenv("RAILGAUGE_FAKE_NVML", file.c_str(), 1);
  }
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;
  ~Played() { ::unsetenv("RAILGAUGE_FAKE_NVML"); }

 private:
  Scratch scratch_;
};

// A configuration space of 4096 bytes with the PCI Express capability at 0x60 and ACS at 0x140, behind AER at 0x100.
std::string configuration(unsigned device_control, unsigned acs_control) {
  std::string bytes(4096, '\0');
  const auto write = [&](std::size_t at, unsigned value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xffU);
  };
  write(0x06, 0x10, 1);  // it has capabilities
  write(0x34, 0x40, 1);
  write(0x40, 0x6001, 2);  // power management, then 0x60
  write(0x60, 0x0010, 2);
  write(0x68, device_control, 2);
  write(0x100, 0x14010001, 4);
  write(0x140, 0x0001000d, 4);
  write(0x146, acs_control, 2);
  return bytes;
}

void put_function(const std::filesystem::path& root, const std::string& place, const char* address, const char* type,
                  const std::string& config) {
  const std::filesystem::path folder = root / "sys/devices" / place;
  put(folder / "class", type);
  put(folder / "vendor", "0x15b3\n");
  put(folder / "device", "0x1021\n");
  put(folder / "config", config);
  std::filesystem::create_directories(root / "sys/bus/pci/devices");
  std::filesystem::create_directory_symlink("../../../devices/" + place, root / "sys/bus/pci/devices" / address);
}

}  // namespace

TEST_CASE("a recorded host says of itself what its files say") {
  const Scratch scratch;
  record_host(scratch.path());
  ReadOptions options = options_of(scratch.path());
  options.versions = {{"ucx", "1.18.0"}};
  options.environment = {{"CUDA_VISIBLE_DEVICES", "0,1"}, {"HOME", "/root"}};
  const HostFacts facts = read_facts(options);
  CHECK(facts.host == "h100-07");
  CHECK(facts.model == "NVIDIA, DGXH100, Intel(R) Xeon(R) Platinum 8480C");
  struct Row {
    const char *subject, *name, *value;
  };
  constexpr Row rows[] = {
      {"", "memory", "2 TiB"},
      {"", "uptime", "864000 s"},
      {"", "memlock", "8 MiB"},
      {"", "may lock memory", "no"},
      {"", "nofile", "1048576"},
      {"", "processes", "unlimited"},
      {"", "processors allowed", "0-111"},
      {"", "memory nodes allowed", "0-1"},
      {"", "cgroup processors", "2 processors"},
      {"", "cgroup memory", "no limit"},
      {"", "shm size", "64 MiB"},
      {"", "shm free", "63 MiB"},
      {"", "huge pages", "4 of 1048576 kB"},
      {"", "transparent huge pages", "madvise"},
      {"", "numa balancing", "1"},
      {"", "kernel", "5.15.0-1042-nvidia"},
      {"", "boot options", "iommu=pt pci=realloc=off"},
      {"", "iommu", "DMA-FQ, identity"},
      {"", "governor", "performance, powersave"},
      {"", "nvidia_peermem", "not loaded"},
      {"", "gpu driver kind", "open kernel modules"},
      {"", "dmabuf", "possible"},
      {"ucx", "library", "1.18.0"},
      {"", "gpus granted", "CUDA_VISIBLE_DEVICES=0,1"},
      {"", "interfaces", "1"},
      {"eth0", "mtu", "9000"},
      {"eth0", "queue", "mq"},
      {"eth0", "speed", "100000 Mb/s"},
      {"eth0", "pfc", "priorities 3"},
      {"eth0", "pause", "unread: ethtool pause: Operation not supported"},
      {"eth0", "carrier changes", "2"},
      {"eth0", "counter rx_errors", "4"},
      {"docker0", "mtu", ""},
      {"", "rdma devices", "2"},
      {"mlx5_0", "device firmware", "28.39.1002"},
      {"mlx5_0", "node guid", "a088:c203:00ab:0010"},
      {"mlx5_0", "slot", "27.57 GB/s (32.0 GT/s x8)"},
      {"mlx5_0/1", "port guid", "a088:c203:00ab:0011"},
      {"mlx5_1/1", "port rate", "400 Gb/sec (4X NDR)"},
      {"mlx5_0/1", "gid types", "IB/RoCE v1, RoCE v2"},
      {"mlx5_1/1", "gid types", "IB/RoCE v1"},
      {"mlx5_0/1", "counter symbol_error", "3"},
      {"mlx5_0/1", "counter port_xmit_data", ""},
      {"GPU 0000:1b:00.0", "xid", "31 (2 times), 79: pid=8, MMU Fault"},
      {"", "gpus", "unread: nvmlInit_v2: the driver is not loaded"},
  };
  for (const Row& row : rows) {
    INFO(row.subject << " " << row.name);
    CHECK(said(facts, row.subject, row.name) == row.value);
  }
  CHECK(condition_of(facts, "GPU 0000:1b:00.0", "xid") == Condition::gpu_broken);  // 79
  CHECK_THAT(said(facts, "mlx5_0", "board"), ContainsSubstring("board_id: No such file or directory"));
  CHECK(from_json(to_json(facts), "n1") == facts);
}

TEST_CASE("an empty folder is a host of which nothing can be read, with a reason for each") {
  const Scratch scratch;
  ReadOptions options = options_of(scratch.path());
  options.interfaces = nullptr;
  options.space = nullptr;
  options.host = "n9";
  const HostFacts facts = read_facts(options);
  CHECK(facts.host == "n9");
  CHECK(facts.model.empty());
  for (const Fact& fact : facts.facts) {
    INFO(fact.name << " " << fact.value);
    CHECK((!fact.unread.empty() || fact.name == "rdma devices"));
  }
  CHECK_THAT(said(facts, "", "shm size"), ContainsSubstring("No such file or directory"));
  CHECK(said(facts, "", "interfaces") == "unread: the interfaces of a recorded machine are in no file");
}

TEST_CASE("files of garbage make facts of one line, or none") {
  const Scratch scratch;
  record_host(scratch.path());
  constexpr char bytes[] = "\x01\xff[\n\n%s 99999999999999999999999 \x1b[2J \x7f]:\t-1";
  std::string garbage(bytes, sizeof bytes);  // a zero byte at its end
  garbage += std::string(70'000, 'x');
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
    if (entry.is_regular_file()) fill(entry.path(), garbage);
  const HostFacts facts = read_facts(options_of(scratch.path()));
  CHECK(from_json(to_json(facts), "n1").facts.size() == facts.facts.size());  // which refuses control characters
  const std::vector<HostFacts> hosts{facts};
  CHECK(judge(hosts).models.size() == 1);
}

TEST_CASE("eight GPUs of an imitated driver tell of themselves, and rules look at them") {
  const Played driver("dgx_h100",
                      "gpu * vbios 96.00.30\ngpu * persistence 1\ngpu * compute 0\ngpu * ecc 1 1\ngpu * eccerrors 0 0 0\n"
                      "gpu * remap 0 0 0 0\ngpu * limit 700000\ngpu * temperature 31\ngpu * clocks 1980 2619 1980 2619\n"
                      "gpu * reasons 1\ngpu 3 remap 0 2 1 1\ngpu 4 reasons 64\ngpu 5 ecc 1 0\ngpu 6 persistence 0\n"
                      "gpu 7 eccerrors 5 2 9\n");
  const Scratch scratch;
  record_host(scratch.path());
  put(scratch.path() / "dev/kmsg", "nothing of it\n");
  const HostFacts facts = read_facts(options_of(scratch.path()));
  CHECK(said(facts, "", "gpus") == "8");
  CHECK(said(facts, "", "gpu driver") == "535.129.03");
  CHECK(said(facts, "", "cuda of driver") == "12.2");
  CHECK(said(facts, "", "xid") == "none");
  const std::string first = "GPU 0000:1b:00.0";
  CHECK(said(facts, first, "gpu name") == "NVIDIA H100 80GB HBM3");
  CHECK(said(facts, first, "gpu memory") == "79.65 GiB");
  CHECK(said(facts, first, "vbios") == "96.00.30");
  CHECK(said(facts, first, "power limit") == "700 W");
  CHECK(said(facts, first, "highest sm clock") == "1980 MHz");
  CHECK(said(facts, first, "clocks held by") == "idleness");
  CHECK(said(facts, first, "mig") == "off");
  CHECK(said(facts, "GPU 0000:c3:00.0", "ecc") == "on, and off after a reset");
  CHECK(said(facts, "GPU 0000:61:00.0", "rows remapped") == "2");
  CHECK(said(facts, "GPU 0000:df:00.0", "ecc uncorrected ever") == "9");
  const std::vector<HostFacts> hosts{facts};
  std::string of_gpus;
  for (const Difference& it : judge(hosts).differences)
    if (it.subject.starts_with("GPU")) of_gpus += brief({it});
  CHECK(of_gpus ==
        "fault h100-07:GPU 0000:df:00.0 ECC errors not corrected since boot: 2; 0\n"
        "fault h100-07:GPU 0000:9d:00.0 clocks are throttled by: HW thermal slowdown; nothing\n"
        "fault h100-07:GPU 0000:61:00.0 row remap failed: yes; no\n"
        "warning h100-07:GPU 0000:c3:00.0 ECC: on, and off after a reset; on (7 of the host's 8 GPUs)\n"
        "warning h100-07:GPU 0000:d1:00.0 persistence mode: off; on\n"
        "warning h100-07:GPU 0000:d1:00.0 persistence mode: off; on (7 of the host's 8 GPUs)\n"
        "warning h100-07:GPU 0000:61:00.0 row remap pending: yes; no\n");
}

TEST_CASE("an older driver's library leaves facts unread and says which function it lacks") {
  const Played driver("dgx1_v100", "");
  const Scratch scratch;
  ReadOptions options = options_of(scratch.path());
  options.nvml = RAILGAUGE_FAKE_NVML_OLD_LIBRARY;
  const HostFacts facts = read_facts(options);
  CHECK(said(facts, "", "gpus") == "8");
  CHECK_THAT(said(facts, "GPU 0000:06:00.0", "row remap failed"), ContainsSubstring("has no nvmlDeviceGetRemappedRows"));
}

TEST_CASE("a driver that hangs or crashes costs its own facts and no others") {
  const Scratch scratch;
  record_host(scratch.path());
  {
    const Played driver("dgx_h100", "system hang nvmlDeviceGetVbiosVersion\n");
    ReadOptions options = options_of(scratch.path());
    options.patience = std::chrono::milliseconds(1500);
    const HostFacts facts = read_facts(options);
    CHECK(said(facts, "", "gpus") == "8");
    CHECK(said(facts, "GPU 0000:1b:00.0", "gpu name") == "NVIDIA H100 80GB HBM3");
    CHECK(said(facts, "gpus", "reading") == "unread: nvmlDeviceGetVbiosVersion of GPU 0000:1b:00.0 did not return within 1.5 s");
    CHECK(said(facts, "", "kernel") == "5.15.0-1042-nvidia");
    // Seven GPUs were not asked: that is no lack of them.
    std::vector<HostFacts> hosts(4, facts);
    for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].host = fmt::format("n{}", i);
    for (std::size_t i = 1; i < hosts.size(); ++i) {
      std::erase_if(hosts[i].facts, [](const Fact& fact) { return fact.name == "reading"; });
      set(hosts[i], "GPU 0000:43:00.0", "gpu name", "NVIDIA H100 80GB HBM3");
    }
    for (const Difference& it : judge(hosts).differences) CHECK(it.found != "absent");
  }
  const Played driver("dgx_h100", "system crash nvmlDeviceGetVbiosVersion\n");
  const HostFacts facts = read_facts(options_of(scratch.path()));
  CHECK_THAT(said(facts, "gpus", "reading"), ContainsSubstring("in nvmlDeviceGetVbiosVersion of GPU 0000:1b:00.0"));
  CHECK(said(facts, "", "gpus") == "8");
}

TEST_CASE("what is not begun in time is unread") {
  const Scratch scratch;
  ReadOptions options = options_of(scratch.path());
  options.all = std::chrono::milliseconds(0);
  const HostFacts facts = read_facts(options);
  CHECK(facts.facts.size() == 11);
  CHECK(said(facts, "topology", "reading") == "unread: it was not begun: the 0 s for all readings were over");
}

TEST_CASE("PCIe functions tell their payload, their read requests and the redirections above them") {
  const Scratch scratch;
  const std::string root = "pci0000:00/0000:00:01.0";
  put_function(scratch.path(), root, "0000:00:01.0", "0x060400\n", configuration(0, 0x1d));
  put_function(scratch.path(), root + "/0000:01:00.0", "0000:01:00.0", "0x020000\n", configuration(0x2820, 0));
  put_function(scratch.path(), root + "/0000:01:00.1", "0000:01:00.1", "0x020000\n", configuration(0x5950, 0).substr(0, 64));
  put(scratch.path() / "sys/devices" / root / "0000:01:00.0/aer_dev_correctable", "RxErr 3\nBadTLP 4\nTOTAL_ERR_COR 7\n");
  const HostFacts facts = read_facts(options_of(scratch.path()));
  CHECK(said(facts, "PCIe 0000:01:00.0", "max payload") == "256 bytes");
  CHECK(said(facts, "PCIe 0000:01:00.0", "max read request") == "512 bytes");
  CHECK(said(facts, "PCIe 0000:01:00.0", "aer correctable") == "7");
  CHECK_THAT(said(facts, "PCIe 0000:01:00.1", "max payload"),
             ContainsSubstring("the kernel gives 64 bytes, the rest to root alone"));
  CHECK(said(facts, "PCIe 0000:00:01.0", "acs") == "redirects (control 0x1d)");
  CHECK(condition_of(facts, "PCIe 0000:00:01.0", "acs") == Condition::redirects);
  CHECK(said(facts, "PCIe 0000:00:01.0", "max payload") == "");
}

TEST_CASE("counters that grew between two readings are named, and what began anew is said") {
  const Scratch scratch;
  record_host(scratch.path());
  ReadOptions options = options_of(scratch.path());
  const HostFacts before = read_facts(options);
  options.extent = Extent::counters;
  CHECK(grown(before, read_facts(options)).empty());
  const auto counters = scratch.path() / "sys/class/infiniband/mlx5_1/ports/1/counters";
  fill(counters / "symbol_error", "10\n");
  fill(counters / "link_downed", "0\n");
  fill(counters / "port_xmit_data", "100000\n");
  options.interfaces = [] {
    Interface changed = card("eth0");
    changed.carrier_changes = 4;
    changed.errors["rx_errors"] = 1;
    return std::vector<Interface>{changed};
  };
  const HostFacts after = read_facts(options);
  CHECK(said(after, "", "kernel") == "");
  const std::vector<Growth> expected = {{"eth0", "carrier changes", 2, 4, false},
                                        {"eth0", "counter rx_errors", 4, 1, true},
                                        {"mlx5_1/1", "counter symbol_error", 3, 10, false}};
  CHECK(grown(before, after) == expected);
}

TEST_CASE("this machine tells of its kernel, its limits and its interfaces, twice alike") {
  ReadOptions options;
  options.host = "here";
  options.patience = options.all = patient;
  const HostFacts facts = read_facts(options);
  CHECK(said(facts, "", "kernel").find("unread") == std::string::npos);
  CHECK(said(facts, "", "memlock").find("unread") == std::string::npos);
  CHECK(said(facts, "", "interfaces").find("unread") == std::string::npos);
  CHECK(!facts.fingerprint.empty());
  CHECK(from_json(to_json(facts), "here") == facts);
  std::vector<HostFacts> twice{facts, read_facts(options), read_facts(options)};
  twice[1].host = "there";
  twice[2].host = "elsewhere";
  for (const Difference& it : judge(twice).differences) {
    INFO(it.subject << " " << it.name << ": " << it.found << "; " << it.expected);
    CHECK(it.expected.find(" hosts)") == std::string::npos);  // rules may find something, equals nothing
  }
}

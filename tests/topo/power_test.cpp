// Readings of energy, clocks and throttling: a kernel's files in a folder, and GPUs played by an imitation of NVML.
#include <fmt/format.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/evidence/gpu_power.hpp"
#include "topo/evidence/host_power.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

const std::string library = RAILGAUGE_FAKE_NVML_LIBRARY;
const std::string old_library = RAILGAUGE_FAKE_NVML_OLD_LIBRARY;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  fill(file, text + "\n");
}

// A domain of RAPL: "intel-rapl:0:1".
void domain(const fs::path& root, const std::string& folder, const std::string& name, const std::string& count) {
  const fs::path files = root / "sys/class/powercap" / folder;
  write(files / "name", name);
  write(files / "energy_uj", count);
  write(files / "max_energy_range_uj", "262143328850");
}

fs::path core(const fs::path& root, int number) { return root / "sys/devices/system/cpu" / fmt::format("cpu{}", number); }

topo::PowerReading energy_of(const fs::path& root) {
  topo::PowerReading reading;
  topo::read_energy(reading, root);
  return reading;
}

// What a GPU of the described machine says to so many readings.
std::vector<topo::PowerReading> told(const std::string& description, const char* uuid, std::size_t readings,
                                     const std::string& from = library) {
  const Scratch folder;
  fill(folder.path() / "nvml.txt", description);
  ::setenv("RAILGAUGE_FAKE_NVML", (folder.path() / "nvml.txt").c_str(), 1);
  std::vector<topo::PowerReading> all(readings);
  {
    const topo::GpuPower gpu(from, uuid);
    for (topo::PowerReading& reading : all) gpu.read(reading);
  }
  ::unsetenv("RAILGAUGE_FAKE_NVML");
  return all;
}

std::string reason_of(const topo::PowerReading& reading, const std::string& what) {
  for (const topo::Absence& absence : reading.absent)
    if (absence.what == what) return absence.reason;
  return "nothing of " + what + " is absent";
}

// Whether this cause is on; false where nobody tells.
bool on(const topo::PowerReading& reading, const std::string& cause) {
  return std::any_of(reading.throttling.begin(), reading.throttling.end(),
                     [&](const topo::ThrottleReading& it) { return it.cause == cause && it.on; });
}

// Without root's right to read everything, as long as it lives.
class Nobody {
 public:
  Nobody() : before_(::setfsuid(65534)) {}
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;
  ~Nobody() { ::setfsuid(static_cast<uid_t>(before_)); }

 private:
  int before_;
};

}  // namespace

TEST_CASE("energy is counted by packages and their memory, and by nothing that is a part of those or holds them") {
  const Scratch root;
  domain(root.path(), "intel-rapl:0", "package-0", "262143328849");
  domain(root.path(), "intel-rapl:0:0", "core", "1");
  domain(root.path(), "intel-rapl:0:1", "dram", "2000");
  domain(root.path(), "intel-rapl:1", "package-1-die-0", "3000");
  domain(root.path(), "intel-rapl:2", "psys", "4");
  domain(root.path(), "intel-rapl-mmio:0", "package-0", "5");
  const topo::PowerReading reading = energy_of(root.path());
  CHECK(reading.absent.empty());
  REQUIRE(reading.energy.size() == 3);
  CHECK(reading.energy[0].source == "package-0");
  CHECK(reading.energy[0].microjoules == 262143328849);
  CHECK(reading.energy[0].range == 262143328850);
  CHECK(reading.energy[1].source == "package-0 dram");
  CHECK(reading.energy[1].microjoules == 2000);
  CHECK(reading.energy[2].source == "package-1-die-0");
  CHECK(reading.energy[2].microjoules == 3000);
}

TEST_CASE("energy that cannot be read is absent with its reason") {
  const Scratch root;
  CHECK_THAT(reason_of(energy_of(root.path()), "energy of the processors"), ContainsSubstring("no package of RAPL in "));
  domain(root.path(), "intel-rapl:0", "package-0", "-5");
  domain(root.path(), "intel-rapl:1", "package-1", "18446744073709551616");
  domain(root.path(), "intel-rapl:2", "package-2", "7");
  fs::remove(root.path() / "sys/class/powercap/intel-rapl:2/energy_uj");
  const topo::PowerReading reading = energy_of(root.path());
  CHECK(reading.energy.empty());
  CHECK(reading.absent.size() == 3);
  CHECK_THAT(reason_of(reading, "energy of package-0"), ContainsSubstring("/intel-rapl:0/energy_uj holds no number"));
  CHECK_THAT(reason_of(reading, "energy of package-1"), ContainsSubstring("holds no number"));
  CHECK_THAT(reason_of(reading, "energy of package-2"), ContainsSubstring("energy_uj: No such file or directory"));
}

TEST_CASE("energy that root alone may read says so") {
  const Scratch root;
  domain(root.path(), "intel-rapl:0", "package-0", "7");
  fs::permissions(root.path(), fs::perms::all);
  const fs::path file = root.path() / "sys/class/powercap/intel-rapl:0/energy_uj";
  fs::permissions(file, ::geteuid() == 0 ? fs::perms::owner_read : fs::perms::none);
  const Nobody nobody;
  if (std::ifstream(file).good()) skip("this user cannot lose the right to read everything");
  const topo::PowerReading reading = energy_of(root.path());
  CHECK(reading.energy.empty());
  CHECK_THAT(reason_of(reading, "energy of package-0"),
             ContainsSubstring("energy_uj: Permission denied, since current kernels let root alone read it"));
}

TEST_CASE("clocks are those of the slowest and the fastest of the cores that are asked for") {
  const Scratch root;
  for (const int number : {0, 1, 2, 3}) {
    write(core(root.path(), number) / "cpufreq/scaling_cur_freq", fmt::format("{}", 800'000 + number * 1'000'000));
    write(core(root.path(), number) / "cpufreq/cpuinfo_max_freq", number == 2 ? "4100000" : "3900000");
  }
  topo::PowerReading reading;
  topo::read_core_clocks(reading, {1, 2}, root.path());
  CHECK(reading.absent.empty());
  REQUIRE(reading.clocks.size() == 1);
  CHECK(reading.clocks[0].source == "cores");
  CHECK(reading.clocks[0].least == 1800);
  CHECK(reading.clocks[0].most == 2800);
  CHECK(reading.clocks[0].limit == 4100.0);
  fs::remove(core(root.path(), 2) / "cpufreq/scaling_cur_freq");
  topo::PowerReading partial;
  topo::read_core_clocks(partial, {1, 2}, root.path());
  REQUIRE(partial.clocks.size() == 1);
  CHECK(partial.clocks[0].most == 1800);
  CHECK_THAT(reason_of(partial, "clocks of the cores"),
             ContainsSubstring("cpu2/cpufreq/scaling_cur_freq: No such file or directory (1 of 2 cores)"));
  topo::PowerReading none;
  topo::read_core_clocks(none, {7}, root.path());
  CHECK(none.clocks.empty());
  CHECK(reason_of(none, "clocks of the cores").ends_with("scaling_cur_freq: No such file or directory"));
}

TEST_CASE("throttling is counted for each core, and once for each package") {
  const Scratch root;
  for (const int number : {0, 1, 2}) {
    write(core(root.path(), number) / "topology/physical_package_id", number < 2 ? "0" : "1");
    write(core(root.path(), number) / "thermal_throttle/core_throttle_count", fmt::format("{}", 10 + number));
    write(core(root.path(), number) / "thermal_throttle/package_throttle_count", "20");
  }
  write(core(root.path(), 1) / "thermal_throttle/core_throttle_total_time_ms", "1500");
  topo::PowerReading reading;
  topo::read_core_throttling(reading, {0, 1, 2}, root.path());
  CHECK(reading.absent.empty());
  std::vector<std::string> sources;
  for (const topo::ThrottleReading& it : reading.throttling) {
    sources.push_back(it.source);
    CHECK(it.cause == "heat");
    CHECK(it.suspect);
    CHECK_FALSE(it.on);
  }
  REQUIRE(sources == std::vector<std::string>{"core 0", "package-0", "core 1", "core 2", "package-1"});
  CHECK(reading.throttling[0].events == 10U);
  CHECK_FALSE(reading.throttling[0].time.has_value());
  CHECK(reading.throttling[1].events == 20U);
  CHECK(reading.throttling[2].time == std::chrono::milliseconds(1500));
  topo::PowerReading none;
  topo::read_core_throttling(none, {5, 6}, root.path());
  CHECK(none.throttling.empty());
  CHECK(reason_of(none, "throttling of the cores")
            .ends_with("cpu5/thermal_throttle/core_throttle_count: No such file or directory"));
}

TEST_CASE("a GPU says what it has used, its clocks and what holds them down") {
  const auto readings = told(
      "gpu 0 uuid GPU-a\n"
      "gpu 1 uuid GPU-b\n"
      "gpu 1 energy 5000 250\n"
      "gpu 1 clocks 1410 1593 1980 2619\n"
      "gpu 1 reasons 97\n"  // idle, SW and HW thermal slowdown
      "gpu 1 held 0 1000 0\n"
      "gpu 1 held 1 7000 300000000\n",
      "GPU-b", 2);
  for (const topo::PowerReading& reading : readings) {
    CHECK(reading.absent.empty());
    REQUIRE(reading.clocks.size() == 2);
    CHECK(reading.clocks[0].clock == "SM");
    CHECK(reading.clocks[0].least == 1410);
    CHECK(reading.clocks[0].most == 1410);
    CHECK(reading.clocks[0].limit == 1980.0);
    CHECK(reading.clocks[1].clock == "memory");
    CHECK(reading.clocks[1].most == 1593);
    CHECK(reading.clocks[1].limit == 2619.0);
    CHECK(on(reading, "SW thermal slowdown"));
    CHECK(on(reading, "HW thermal slowdown"));
    CHECK(on(reading, "idleness"));
    CHECK_FALSE(on(reading, "SW power cap"));
    for (const topo::ThrottleReading& it : reading.throttling) {
      CHECK(it.source == "GPU-b");
      if (it.cause == "idleness") CHECK_FALSE(it.suspect);
      if (it.cause == "heat") CHECK(it.suspect);
    }
  }
  REQUIRE(readings[1].energy.size() == 1);
  CHECK(readings[1].energy[0].microjoules - readings[0].energy[0].microjoules == 250'000);
  const auto heat = [](const topo::PowerReading& reading) {
    return std::find_if(reading.throttling.begin(), reading.throttling.end(), [](const auto& it) { return it.cause == "heat"; });
  };
  CHECK(heat(readings[1])->time.value() - heat(readings[0])->time.value() == std::chrono::milliseconds(300));
}

TEST_CASE("HW slowdown is named where no more is known of it") {
  CHECK(on(told("gpu 0 uuid GPU-a\ngpu 0 reasons 8\n", "GPU-a", 1)[0], "HW slowdown"));
  const auto brake = told("gpu 0 uuid GPU-a\ngpu 0 reasons 136\n", "GPU-a", 1)[0];
  CHECK(on(brake, "HW power brake"));
  CHECK_FALSE(on(brake, "HW slowdown"));
}

TEST_CASE("what a GPU's driver does not know or refuses is absent with its reason") {
  const topo::PowerReading bare = told("gpu 0 uuid GPU-a\n", "GPU-a", 1)[0];
  CHECK(bare.energy.empty());
  CHECK(bare.clocks.empty());
  CHECK(bare.throttling.empty());
  CHECK(reason_of(bare, "energy of GPU-a") == "nvmlDeviceGetTotalEnergyConsumption of GPU-a: not supported");
  CHECK(reason_of(bare, "SM clock of GPU-a") == "nvmlDeviceGetClockInfo of GPU-a: not supported");
  CHECK(reason_of(bare, "throttle reasons of GPU-a") == "nvmlDeviceGetCurrentClocksEventReasons of GPU-a: not supported");
  CHECK(reason_of(bare, "time throttled by heat of GPU-a") == "nvmlDeviceGetViolationStatus of GPU-a: not supported");
  const topo::PowerReading old = told("gpu 0 uuid GPU-a\ngpu 0 energy 1 1\n", "GPU-a", 1, old_library)[0];
  CHECK(old.energy.empty());
  CHECK(reason_of(old, "energy of GPUs") == old_library + " has no nvmlDeviceGetTotalEnergyConsumption");
  CHECK(reason_of(old, "clocks of GPUs") == old_library + " has no nvmlDeviceGetClockInfo");
  CHECK(reason_of(old, "throttle reasons of GPUs") == old_library + " has no nvmlDeviceGetCurrentClocksThrottleReasons");
  CHECK(reason_of(old, "time throttled of GPUs") == old_library + " has no nvmlDeviceGetViolationStatus");
  CHECK(old.absent.size() == 4);
  const std::string all = "energy, clocks and throttling of ";
  CHECK(reason_of(told("gpu 0 uuid GPU-a\n", "GPU-b", 1)[0], all + "GPU-b") == "nvmlDeviceGetHandleByUUID of GPU-b: not found");
  CHECK(reason_of(told("system fail nvmlInit_v2 18\n", "GPU-b", 1)[0], all + "GPUs") ==
        "nvmlInit_v2: the library and the kernel's driver are of different versions");
  CHECK_THAT(reason_of(told("", "GPU-b", 1, "libno-such-library.so.1")[0], all + "GPUs"),
             ContainsSubstring("libno-such-library.so.1"));
}

TEST_CASE("several readers of GPUs in one process do not disturb each other") {
  const Scratch folder;
  fill(folder.path() / "nvml.txt", "gpu 0 uuid GPU-a\ngpu 0 energy 1 1\n");
  ::setenv("RAILGAUGE_FAKE_NVML", (folder.path() / "nvml.txt").c_str(), 1);
  const topo::GpuPower first(library, "GPU-a");
  {
    const topo::GpuPower second(library, "GPU-a");
    topo::PowerReading reading;
    second.read(reading);
    CHECK(reading.energy.size() == 1);
  }
  topo::PowerReading reading;
  first.read(reading);
  CHECK(reading.energy.size() == 1);
  ::unsetenv("RAILGAUGE_FAKE_NVML");
}

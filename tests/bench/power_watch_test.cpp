// Differences of energy and clocks, and how several hosts and GPUs become one answer.
#include "bench/watch/power_watch.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>

#include "bench/launch/thread_group.hpp"
#include "reports/power/power.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::Folder;
using topo::PowerReading;
namespace fs = std::filesystem;

namespace {

PowerReading counted(std::vector<topo::EnergyCounter> energy) {
  PowerReading reading;
  reading.energy = std::move(energy);
  return reading;
}

std::string reason_of(const Power& power, const std::string& what) {
  for (const Absence& absence : power.absent)
    if (absence.what == what) return absence.reason;
  return "nothing of " + what + " is absent";
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

// A host with a package of RAPL.
void set_energy(const fs::path& root, std::uint64_t microjoules) {
  const fs::path domain = root / "sys/class/powercap/intel-rapl:0";
  write(domain / "name", "package-0");
  write(domain / "max_energy_range_uj", "1000000000");
  write(domain / "energy_uj", fmt::format("{}", microjoules));
}

// The cores of this process, which all threads have, in the /sys of a folder.
void set_heat(const fs::path& root, unsigned events) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) throw std::runtime_error("sched_getaffinity");
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set))
      write(root / fmt::format("sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count", core),
            fmt::format("{}", events));
}

void set_clock(const fs::path& root, unsigned kilohertz) {
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    const fs::path folder = root / fmt::format("sys/devices/system/cpu/cpu{}", core);
    if (fs::exists(folder)) write(folder / "cpufreq/scaling_cur_freq", fmt::format("{}", kilohertz));
  }
}

// The same group, whose ranks are on other nodes.
class OnNodes final : public Group {
 public:
  OnNodes(Group& inner, std::vector<std::string> nodes) : Group(inner.rank(), std::move(nodes)), inner_(inner) {}
  [[nodiscard]] std::vector<Blob> allgather(const Blob& mine) override { return inner_.allgather(mine); }
  void barrier() override { inner_.barrier(); }
  [[nodiscard]] std::vector<Blob> exchange(std::span<const int> peers, std::span<const Blob> blobs) override {
    return inner_.exchange(peers, blobs);
  }
  [[nodiscard]] std::unique_ptr<Group> split(int colour) override { return inner_.split(colour); }
  void check() const override { inner_.check(); }

 private:
  Group& inner_;
};

// What rank 0 is told, of ranks on these nodes. `at` is called by rank 0 when all have begun, before they stop.
Power watch(const std::vector<std::string>& nodes, const std::function<PowerSources(std::size_t rank)>& sources,
            const std::function<void()>& meanwhile, double gigabytes = 2) {
  Power told;
  const auto errors = run_as_threads(static_cast<int>(nodes.size()), Seconds(30), [&](Group& inner) {
    OnNodes group(inner, nodes);
    PowerWatch watch(group, sources(static_cast<std::size_t>(group.rank())));
    group.barrier();
    watch.begin();
    group.barrier();
    if (group.rank() == 0) meanwhile();
    group.barrier();
    watch.stop();
    const Power power = watch.tell(gigabytes);
    if (group.rank() == 0) told = power;
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return told;
}

double joules_on(const Power& power, const std::string& node) {
  double joules = 0;
  for (const EnergyUse& use : power.energy)
    if (use.node == node) joules += use.joules;
  return joules;
}

// Takes a second for each reading.
Clock slow_clock(std::atomic<int>& readings) {
  return {[](void* context) { return Seconds(static_cast<std::atomic<int>*>(context)->fetch_add(1)); }, &readings};
}

}  // namespace

TEST_CASE("energy is what a counter grew by, also past its end") {
  const Power power = power_between("a", counted({{"package-0", 1'000'000, 5'000'000}, {"package-1", 4'500'000, 5'000'000}}),
                                    counted({{"package-0", 3'500'000, 5'000'000}, {"package-1", 250'000, 5'000'000}}));
  CHECK(power.absent.empty());
  REQUIRE(power.energy.size() == 2);
  CHECK(power.energy[0].node == "a");
  CHECK(power.energy[0].source == "package-0");
  CHECK(power.energy[0].joules == 2.5);
  CHECK(power.energy[1].joules == 0.75);
}

TEST_CASE("a counter that went back, vanished or came meanwhile counts nothing, and that is said") {
  const Power power = power_between("a", counted({{"GPU-a", 1'000'000, 0}, {"package-0", 9, 5}, {"package-1", 1, 5}}),
                                    counted({{"GPU-a", 999'999, 0}, {"package-0", 1, 5}, {"package-2", 1, 5}}));
  CHECK(power.energy.empty());
  CHECK_FALSE(joules_of(power).has_value());
  CHECK(power.absent.size() == 4);
  CHECK(reason_of(power, "energy of GPU-a") == "its counter went back during a point");
  CHECK(reason_of(power, "energy of package-0") == "its counter went back during a point");
  CHECK(reason_of(power, "energy of package-1") == "its counter was there before a point and not after it");
  CHECK(reason_of(power, "energy of package-2") == "its counter was there after a point and not before it");
}

TEST_CASE("clocks are the least and the most of both readings") {
  PowerReading before, after;
  before.clocks = {{"cores", "core", 900, 3000, 3500}, {"GPU-a", "SM", 1980, 1980, 1980}};
  after.clocks = {{"cores", "core", 1000, 3100, 3500}, {"GPU-a", "SM", 1200, 1200, 1980}, {"GPU-a", "memory", 5, 5, {}}};
  const Power power = power_between("a", before, after);
  REQUIRE(power.clocks.size() == 3);
  CHECK(power.clocks[0].least == 900);
  CHECK(power.clocks[0].most == 3100);
  CHECK(power.clocks[1].least == 1200);
  CHECK(power.clocks[1].most == 1980);
  CHECK(power.clocks[1].limit == 1980.0);
  CHECK(power.clocks[2].most == 5);
  CHECK_FALSE(throttled(power).has_value());
}

TEST_CASE("what held clocks down is what grew or was on") {
  using std::chrono::milliseconds;
  PowerReading before, after;
  before.throttling = {{"GPU-a", "heat", true, false, {}, milliseconds(100)},
                       {"GPU-a", "the power limit", true, false, {}, milliseconds(100)},
                       {"GPU-a", "idleness", false, true, {}, {}},
                       {"GPU-a", "HW power brake", true, false, {}, {}},
                       {"core 0", "heat", true, false, 7, {}},
                       {"core 1", "heat", true, false, 7, {}},
                       {"core 2", "heat", true, false, 7, {}}};
  after.throttling = {{"GPU-a", "heat", true, false, {}, milliseconds(350)},
                      {"GPU-a", "the power limit", true, false, {}, milliseconds(100)},
                      {"GPU-a", "idleness", false, false, {}, {}},
                      {"GPU-a", "HW power brake", true, true, {}, {}},
                      {"core 0", "heat", true, false, 7, {}},
                      {"core 1", "heat", true, false, 10, {}},
                      {"core 2", "heat", true, false, 0, {}}};  // came back after it was off
  const Power power = power_between("a", before, after);
  CHECK(power.tells_throttling);
  REQUIRE(power.throttles.size() == 4);
  CHECK(power.throttles[0].source == "GPU-a");
  CHECK(power.throttles[0].time == Seconds(0.25));
  CHECK(power.throttles[1].cause == "idleness");
  CHECK_FALSE(power.throttles[1].suspect);
  CHECK(power.throttles[1].before);
  CHECK_FALSE(power.throttles[1].after);
  CHECK(power.throttles[2].after);
  CHECK(power.throttles[3].source == "core 1");
  CHECK(power.throttles[3].events == 3U);
  CHECK(throttled(power) == true);
}

TEST_CASE("each host is read once, by its first rank, and all of them become one answer") {
  const Folder a, b;
  set_energy(a.file(""), 999'000'000);
  set_energy(b.file(""), 100);
  set_heat(b.file(""), 4);
  const Power power = watch(
      {"a", "b", "a", "b", "c"},
      [&](std::size_t rank) {
        // Of the second rank of a host nothing is read, so what it would find does not matter.
        return PowerSources{.root = rank == 0 ? a.file("") : rank == 1 ? b.file("") : rank == 4 ? "/absent" : "/wrong"};
      },
      [&] {
        set_energy(a.file(""), 1'000'000);
        set_energy(b.file(""), 3'000'100);
        set_heat(b.file(""), 6);
      });
  CHECK(power.gigabytes == 2);
  CHECK(power.span.count() > 0);
  CHECK(joules_on(power, "a") == 2);
  CHECK(joules_on(power, "b") == 3);
  CHECK(joules_of(power) == 5.0);
  CHECK(joules_per_gigabyte(power) == 2.5);
  CHECK(throttled(power) == true);
  for (const Throttle& throttle : power.throttles) {
    CHECK(throttle.node == "b");
    CHECK(throttle.events == 2U);
  }
  CHECK_THAT(reason_of(power, "energy of the processors"), ContainsSubstring("no package of RAPL in /absent/sys/class/powercap"));
  for (const Absence& absence : power.absent) CHECK(absence.reason.find("/wrong") == std::string::npos);
  CHECK_THAT(reason_of(power, "clocks of the cores"), ContainsSubstring("No such file or directory"));
}

TEST_CASE("where nothing can be read, that is all there is to say") {
  const Power power = watch({"a", "a", "b"}, [](std::size_t) { return PowerSources{.root = "/absent"}; }, [] {});
  CHECK(power.energy.empty());
  CHECK_FALSE(joules_of(power).has_value());
  CHECK_FALSE(throttled(power).has_value());
  REQUIRE(power.absent.size() == 3);
  for (const Absence& absence : power.absent) CHECK(absence.nodes == std::vector<std::string>{"a", "b"});
}

TEST_CASE("clocks that take long to read are not read around points") {
  const Folder root;
  set_heat(root.file(""), 0);
  set_clock(root.file(""), 2'000'000);
  const auto sources = [&](Clock clock) {
    return [&root, clock](std::size_t) { return PowerSources{.root = root.file(""), .clock = clock}; };
  };
  std::atomic<int> readings{0};
  const Power slow = watch({"a"}, sources(slow_clock(readings)), [] {});
  CHECK(slow.clocks.empty());
  CHECK_THAT(reason_of(slow, "clocks of the cores"), ContainsSubstring("a reading takes 1.00 s for "));
  const Clock still{[](void*) { return Seconds(0); }, nullptr};
  const Power fast = watch({"a"}, sources(still), [&] { set_clock(root.file(""), 1'000'000); });
  REQUIRE(fast.clocks.size() == 1);
  CHECK(fast.clocks[0].least == 1000);
  CHECK(fast.clocks[0].most == 2000);
}

TEST_CASE("a GPU is read by the first rank that uses it") {
  const Folder folder;
  std::ofstream(folder.file("nvml.txt")) << "gpu 0 uuid GPU-a\ngpu 1 uuid GPU-b\n"
                                            "gpu * energy 1000 500\ngpu * clocks 1410 1593 1980 2619\n"
                                            "gpu * reasons 1\ngpu 1 held 1 0 250000000\n";
  ::setenv("RAILGAUGE_FAKE_NVML", folder.file("nvml.txt").c_str(), 1);
  const Power power = watch(
      {"a", "a", "a", "a"},
      [&](std::size_t rank) {
        return PowerSources{.gpu = rank % 2 == 0 ? "GPU-a" : "GPU-b", .root = "/absent", .nvml = RAILGAUGE_FAKE_NVML_LIBRARY};
      },
      [] {});
  ::unsetenv("RAILGAUGE_FAKE_NVML");
  REQUIRE(power.energy.size() == 2);
  CHECK(power.energy[0].source == "GPU-a");
  CHECK(power.energy[1].source == "GPU-b");
  // Each reading adds to the counter: a second reader of a GPU would show.
  CHECK(power.energy[0].joules == 0.5);
  CHECK(power.energy[1].joules == 0.5);
  CHECK(power.clocks.size() == 4);
  CHECK(throttled(power) == true);
  for (const Throttle& throttle : power.throttles) {
    if (throttle.suspect) CHECK(throttle.source == "GPU-b");
    if (throttle.cause == "heat") CHECK(throttle.time == Seconds(0.25));
  }
}

// Reads the kernel's files of energy, clocks and throttling.
#include "topo/evidence/host_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "topo/evidence/sysfs.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view control = "intel-rapl:";  // and not intel-rapl-mmio, which counts the same packages again

fs::path below(const fs::path& root, const char* folder) { return (root.empty() ? fs::path("/") : root) / folder; }

fs::path folder_of(const fs::path& root, int core) { return below(root, "sys/devices/system/cpu") / fmt::format("cpu{}", core); }

std::string reason_of(const fs::path& file) {
  const std::error_code error = sysfs_error(file);
  if (!error) return file.string() + " holds no number";
  const bool denied = error == std::errc::permission_denied;
  return fmt::format("{}: {}{}", file.string(), error.message(),
                     denied ? ", since current kernels let root alone read it: run as root, or chmod a+r it" : "");
}

// The source that a domain counts for; empty where it does not count, or another has counted it.
std::string source_of(const fs::path& classes, const std::string& domain) {
  const std::string name = sysfs_line(classes / domain / "name");
  const std::size_t colon = domain.find(':', control.size());
  if (colon == std::string::npos) return name.starts_with("package") ? name : std::string();
  return name == "dram" ? sysfs_line(classes / domain.substr(0, colon) / "name") + " dram" : std::string();
}

// Says of all cores that lack a file what the first of them lacks.
class Missing {
 public:
  void add(const fs::path& file) {
    if (count_++ == 0) reason_ = reason_of(file);
  }
  void tell(PowerReading& into, const char* what, std::size_t cores) const {
    if (count_ == 0) return;
    const std::string part = count_ == cores ? std::string() : fmt::format(" ({} of {} cores)", count_, cores);
    into.absent.push_back({what, reason_ + part});
  }

 private:
  std::size_t count_ = 0;
  std::string reason_;
};

std::optional<ThrottleReading> throttling_of(const fs::path& folder, const char* kind, std::string source) {
  const auto events = sysfs_number(folder / fmt::format("{}_throttle_count", kind));
  if (!events) return std::nullopt;
  ThrottleReading reading;
  reading.source = std::move(source);
  reading.cause = "heat";
  reading.events = events;
  constexpr std::uint64_t longest = std::uint64_t{1} << 40;  // milliseconds, 35 years: so many nanoseconds fit
  if (const auto time = sysfs_number(folder / fmt::format("{}_throttle_total_time_ms", kind)); time && *time < longest)
    reading.time = std::chrono::milliseconds(*time);
  return reading;
}

}  // namespace

void read_energy(PowerReading& into, const fs::path& root) {
  const fs::path classes = below(root, "sys/class/powercap");
  std::set<std::string> sources;
  for (const std::string& domain : sysfs_names(classes)) {
    if (!domain.starts_with(control)) continue;
    const std::string source = source_of(classes, domain);
    if (source.empty() || !sources.insert(source).second) continue;
    const fs::path file = classes / domain / "energy_uj";
    if (const auto count = sysfs_number(file))
      into.energy.push_back({source, *count, sysfs_number(classes / domain / "max_energy_range_uj").value_or(0)});
    else
      into.absent.push_back({"energy of " + source, reason_of(file)});
  }
  if (sources.empty()) into.absent.push_back({"energy of the processors", "no package of RAPL in " + classes.string()});
}

void read_core_clocks(PowerReading& into, const std::vector<int>& cores, const fs::path& root) {
  constexpr double kilohertz = 1e-3;  // in megahertz
  Missing missing;
  std::optional<ClockReading> clock;
  for (const int core : cores) {
    const fs::path folder = folder_of(root, core) / "cpufreq";
    const auto now = sysfs_number(folder / "scaling_cur_freq");
    if (!now || *now == 0) {
      missing.add(folder / "scaling_cur_freq");
      continue;
    }
    const double megahertz = static_cast<double>(*now) * kilohertz;
    if (!clock) clock = ClockReading{"cores", "core", megahertz, megahertz, std::nullopt};
    clock->least = std::min(clock->least, megahertz);
    clock->most = std::max(clock->most, megahertz);
    if (const auto limit = sysfs_number(folder / "cpuinfo_max_freq"))
      clock->limit = std::max(clock->limit.value_or(0), static_cast<double>(*limit) * kilohertz);
  }
  if (clock) into.clocks.push_back(*std::move(clock));
  missing.tell(into, "clocks of the cores", cores.size());
}

void read_core_throttling(PowerReading& into, const std::vector<int>& cores, const fs::path& root) {
  Missing missing;
  std::set<std::uint64_t> packages;
  for (const int core : cores) {
    const fs::path folder = folder_of(root, core), counts = folder / "thermal_throttle";
    if (auto reading = throttling_of(counts, "core", fmt::format("core {}", core)))
      into.throttling.push_back(*std::move(reading));
    else
      missing.add(counts / "core_throttle_count");
    // All cores of a package tell the same of it.
    const auto package = sysfs_number(folder / "topology/physical_package_id");
    if (!package || packages.contains(*package)) continue;
    if (auto reading = throttling_of(counts, "package", fmt::format("package-{}", *package))) {
      packages.insert(*package);
      into.throttling.push_back(*std::move(reading));
    }
  }
  missing.tell(into, "throttling of the cores", cores.size());
}

}  // namespace railgauge::topo

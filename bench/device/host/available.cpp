// Reads /proc/meminfo and the memory limits of the control groups that this process is in.
#include "bench/device/host/available.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace railgauge::host {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number behind `key` in a file of lines "key number ..."; `fallback` when there is none.
std::size_t field(const std::filesystem::path& file, const std::string& key, std::size_t fallback) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    if (!line.starts_with(key)) continue;
    try {
      return std::stoull(line.substr(key.size()));
    } catch (const std::exception&) {  // "max": no limit
      return fallback;
    }
  }
  return fallback;
}

// The names of the same three things in both versions of control groups.
struct Names {
  const char* limit;
  const char* usage;
  const char* reclaimable;
};
constexpr Names version1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr Names version2 = {"memory.max", "memory.current", "inactive_file "};

// What the limits of `group` and of all groups above it leave.
std::size_t left_in(const std::filesystem::path& mount, std::filesystem::path group, const Names& names) {
  std::size_t least = unlimited;
  group = group.relative_path();
  while (true) {
    const std::filesystem::path folder = mount / group;
    const std::size_t limit = field(folder / names.limit, "", unlimited);
    const std::size_t usage = field(folder / names.usage, "", 0);
    const std::size_t used = usage - std::min(usage, field(folder / "memory.stat", names.reclaimable, 0));
    if (limit != unlimited) least = std::min(least, limit - std::min(limit, used));
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

}  // namespace

std::size_t available_memory(const std::filesystem::path& root) {
  const std::size_t kibibytes = field(root / "proc/meminfo", "MemAvailable:", unlimited);
  std::size_t least = kibibytes == unlimited ? unlimited : kibibytes << 10;
  std::ifstream groups(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {  // "4:memory:/path" in version 1, "0::/path" in version 2
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    const std::filesystem::path mount = root / "sys/fs/cgroup";
    if (controllers == ",,") {
      least = std::min(least, left_in(mount, group, version2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, left_in(mount / "memory", group, version1));
    }
  }
  return least;
}

}  // namespace railgauge::host

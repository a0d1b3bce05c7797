// How the kernel was started and set: release, boot options, IOMMU, frequencies, TCP.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

// Options that change how fast or how evenly a host works. Others name its disks and keys: they differ everywhere, and are
// nobody's.
constexpr auto options_that_matter = std::to_array<std::string_view>({"iommu",
                                                                      "intel_iommu",
                                                                      "amd_iommu",
                                                                      "iommu.passthrough",
                                                                      "iommu.strict",
                                                                      "pci",
                                                                      "pcie_aspm",
                                                                      "numa",
                                                                      "numa_balancing",
                                                                      "isolcpus",
                                                                      "nohz",
                                                                      "nohz_full",
                                                                      "rcu_nocbs",
                                                                      "mitigations",
                                                                      "hugepages",
                                                                      "hugepagesz",
                                                                      "default_hugepagesz",
                                                                      "transparent_hugepage",
                                                                      "intel_idle.max_cstate",
                                                                      "processor.max_cstate",
                                                                      "intel_pstate",
                                                                      "amd_pstate",
                                                                      "nosmt",
                                                                      "maxcpus",
                                                                      "nr_cpus",
                                                                      "mem",
                                                                      "tsc",
                                                                      "clocksource",
                                                                      "idle",
                                                                      "cgroup_disable",
                                                                      "ib_core.netns_mode",
                                                                      "irqaffinity"});

struct LineRow {
  const char *name, *file;
};
constexpr auto lines = std::to_array<LineRow>({
    {"kernel", "proc/sys/kernel/osrelease"},
    {"frequency driver", "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
    {"smt", "sys/devices/system/cpu/smt/control"},
    {"clock source", "sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"congestion control", "proc/sys/net/ipv4/tcp_congestion_control"},
    {"tcp ecn", "proc/sys/net/ipv4/tcp_ecn"},
    {"tcp receive memory", "proc/sys/net/ipv4/tcp_rmem"},
    {"tcp send memory", "proc/sys/net/ipv4/tcp_wmem"},
    {"socket receive memory", "proc/sys/net/core/rmem_max"},
    {"socket send memory", "proc/sys/net/core/wmem_max"},
    {"rp filter", "proc/sys/net/ipv4/conf/all/rp_filter"},
});

void read_boot_options(Sheet& sheet) {
  const auto text = sheet.whole("", "boot options", sheet.path("proc/cmdline"));
  if (!text) return;
  std::string found;
  Lines all(*text);
  while (all.next()) {
    Scan scan(all.line());
    for (std::string_view word = scan.word(); !word.empty(); word = scan.word()) {
      const std::string_view name = word.substr(0, word.find('='));
      if (std::find(options_that_matter.begin(), options_that_matter.end(), name) != options_that_matter.end())
        found += fmt::format("{}{}", found.empty() ? "" : " ", word);
    }
  }
  sheet.add("", "boot options", found.empty() ? "none" : found);
}

// What the files say, each once: "performance", or "performance, powersave" where processors differ.
void read_several(Sheet& sheet, const char* name, const std::vector<std::filesystem::path>& files, const std::string& none) {
  std::set<std::string> values;
  for (const std::filesystem::path& file : files)
    if (std::string line = sysfs_line(file); !line.empty()) values.insert(std::move(line));
  if (!values.empty())
    sheet.add("", name, fmt::format("{}", fmt::join(values, ", ")));
  else if (files.empty())
    sheet.unread("", name, none);
  else
    sheet.line("", name, files.front());
}

void read_governors(Sheet& sheet) {
  const std::filesystem::path folder = sheet.path("sys/devices/system/cpu");
  std::vector<std::filesystem::path> files;
  for (const std::string& name : sysfs_names(folder))
    if (name.starts_with("cpu") && name.size() > 3 && name.find_first_not_of("0123456789", 3) == std::string::npos)
      files.push_back(folder / name / "cpufreq/scaling_governor");
  read_several(sheet, "governor", files, fmt::format("{}: no processor", folder.string()));
}

void read_iommu(Sheet& sheet) {
  const std::filesystem::path folder = sheet.path("sys/kernel/iommu_groups");
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const std::string& group : sysfs_names(folder)) files.push_back(folder / group / "type");
  if (files.empty() && std::filesystem::is_directory(folder, error)) return sheet.add("", "iommu", "off");
  read_several(sheet, "iommu", files, fmt::format("{}: No such file or directory", folder.string()));
}

}  // namespace

void read_kernel(const ReadOptions& /*options*/, Sheet& sheet) {
  for (const LineRow& row : lines) sheet.line("", row.name, sheet.path(row.file));
  read_boot_options(sheet);
  read_governors(sheet);
  read_iommu(sheet);
}

}  // namespace railgauge::topo::preflight

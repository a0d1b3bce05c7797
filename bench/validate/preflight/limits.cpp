// What this process may use: locked memory, files, processors, and what its cgroup leaves it.
#include <fmt/format.h>

#include <array>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

struct LimitRow {
  const char *name, *title;
  bool bytes;
};
constexpr auto limits = std::to_array<LimitRow>(
    {{"memlock", "Max locked memory", true}, {"nofile", "Max open files", false}, {"processes", "Max processes", false}});

// The soft limit: "Max locked memory         8388608              8388608              bytes".
std::string soft_limit(std::string_view text, const LimitRow& row) {
  Lines lines(text);
  while (lines.next()) {
    if (!lines.line().starts_with(row.title)) continue;
    Scan scan(lines.line().substr(std::string_view(row.title).size()));
    const std::string_view word = scan.word();
    Scan digits(word);
    const auto number = digits.number();
    return row.bytes && number && digits.done() ? bytes_text(*number) : std::string(word);
  }
  return {};
}

// Cpus of a cgroup's quota: "200000 100000" is 2 processors' time.
std::string quota_text(const std::string& line) {
  Scan scan(line);
  const std::string_view first = scan.word();
  if (first == "max") return "no limit";
  Scan digits(first);
  const auto quota = digits.number();
  const auto period = scan.blanks().number();
  if (!quota || !period || *period == 0) return line;
  return fmt::format("{:.4g} processors", static_cast<double>(*quota) / static_cast<double>(*period));
}

std::string memory_text(const std::string& line) {
  if (line == "max") return "no limit";
  Scan scan(line);
  const auto bytes = scan.number();
  return bytes && scan.done() ? bytes_text(*bytes) : line;
}

// The folder of this process's cgroup, of version 2 ("0::/system.slice/..."), or nothing.
std::string cgroup_in(std::string_view text) {
  Lines lines(text);
  while (lines.next())
    if (lines.line().starts_with("0::/") && lines.line().find("..") == std::string_view::npos)
      return std::string(lines.line().substr(4));
  return {};
}

void read_cgroup(Sheet& sheet) {
  const std::filesystem::path all = sheet.path("sys/fs/cgroup");
  const auto text = sheet.whole("", "cgroup processors", sheet.path("proc/self/cgroup"));
  if (!text) return;
  // In a container the folder is named from outside, and what stands at the top is its own.
  std::filesystem::path own = all / cgroup_in(*text);
  std::error_code error;
  if (!std::filesystem::exists(own / "cpu.max", error)) own = all;
  for (const auto& [name, file, words] :
       {std::tuple{"cgroup processors", "cpu.max", &quota_text}, std::tuple{"cgroup memory", "memory.max", &memory_text}}) {
    const std::string line = sysfs_line(own / file);
    if (!line.empty())
      sheet.add("", name, words(line));
    else
      sheet.line("", name, own / file);
  }
}

}  // namespace

void read_limits(const ReadOptions& /*options*/, Sheet& sheet) {
  if (const auto text = sheet.whole("", "memlock", sheet.path("proc/self/limits")))
    for (const LimitRow& row : limits) {
      const std::string value = soft_limit(*text, row);
      if (value.empty())
        sheet.unread("", row.name, fmt::format("/proc/self/limits has no line '{}'", row.title));
      else
        sheet.add("", row.name, value);
    }
  if (const auto text = sheet.whole("", "processors allowed", sheet.path("proc/self/status"))) {
    sheet.add("", "processors allowed", after(*text, "Cpus_allowed_list"));
    sheet.add("", "memory nodes allowed", after(*text, "Mems_allowed_list"));
    constexpr unsigned ipc_lock = 14;  // CAP_IPC_LOCK
    const std::string mask = after(*text, "CapEff");
    Scan scan(mask);
    if (const auto bits = scan.number(16)) sheet.add("", "may lock memory", (*bits >> ipc_lock & 1U) != 0 ? "yes" : "no");
  }
  read_cgroup(sheet);
}

}  // namespace railgauge::topo::preflight

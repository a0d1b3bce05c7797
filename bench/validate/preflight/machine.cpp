// What the machine is: maker, product, processors, memory.
#include <fmt/format.h>

#include <bit>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

// What the firmware and the kernel keep for themselves differs a little from boot to boot; a missing module is far more. So: up
// to the next sixteenth of the power of two below.
std::uint64_t rounded(std::uint64_t bytes) {
  if (bytes < 16) return bytes;
  const auto shift = std::bit_width(bytes) - 5;  // of that sixteenth
  return (bytes + (std::uint64_t{1} << shift) - 1) >> shift << shift;
}

}  // namespace

void read_machine(const ReadOptions& /*options*/, Sheet& sheet) {
  sheet.line("", "maker", sheet.path("sys/class/dmi/id/sys_vendor"));
  sheet.line("", "product", sheet.path("sys/class/dmi/id/product_name"));
  sheet.line("", "bios", sheet.path("sys/class/dmi/id/bios_version"));
  if (const auto text = sheet.whole("", "processor", sheet.path("proc/cpuinfo"))) {
    std::string model = after(*text, "model name");
    if (model.empty()) model = after(*text, "CPU part");  // Arm has numbers
    sheet.add("", "processor", model);
  }
  sheet.line("", "processors online", sheet.path("sys/devices/system/cpu/online"));
  if (const auto text = sheet.whole("", "memory", sheet.path("proc/meminfo"))) {
    const std::string total = after(*text, "MemTotal");
    Scan scan(total);
    if (const auto kilobytes = scan.number(); kilobytes && *kilobytes < UINT64_MAX >> 12U)
      sheet.add("", "memory", bytes_text(rounded(*kilobytes << 10U)));
    else
      sheet.unread("", "memory", "MemTotal of /proc/meminfo is no number");
  }
  const std::string uptime = sysfs_line(sheet.path("proc/uptime"));
  Scan scan(uptime);
  if (const auto seconds = scan.number())
    sheet.add("", "uptime", fmt::format("{} s", *seconds));
  else
    sheet.line("", "uptime", sheet.path("proc/uptime"));
}

}  // namespace railgauge::topo::preflight

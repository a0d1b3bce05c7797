// Shared memory, huge pages and NUMA balancing.
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/sysfs.hpp"

namespace railgauge::topo::preflight {
namespace {

Space space_of(const std::filesystem::path& path) {
  struct statvfs status{};
  if (::statvfs(path.c_str(), &status) != 0)
    throw Error(Fault::usage, fmt::format("statvfs of {}: {}", path.string(), std::generic_category().message(errno)));
  return {status.f_frsize * status.f_blocks, status.f_frsize * status.f_bavail};
}

// "always [madvise] never"
std::string chosen(const std::string& line) {
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']', open == std::string::npos ? 0 : open);
  return open == std::string::npos || close == std::string::npos ? line : line.substr(open + 1, close - open - 1);
}

}  // namespace

void read_memory(const ReadOptions& options, Sheet& sheet) {
  sheet.doing("statvfs of /dev/shm");
  try {
    const std::filesystem::path shm = sheet.path("dev/shm");
    const Space space = options.space ? options.space(shm) : space_of(shm);
    sheet.add("", "shm size", bytes_text(space.size));
    sheet.add("", "shm free", bytes_text(space.free));
  } catch (const std::exception& error) {
    sheet.unread("", "shm size", error.what());
    sheet.unread("", "shm free", error.what());
  }
  if (const auto text = sheet.whole("", "huge pages", sheet.path("proc/meminfo"))) {
    const std::string total = after(*text, "HugePages_Total");
    const std::string size = after(*text, "Hugepagesize");
    if (total.empty())
      sheet.unread("", "huge pages", "/proc/meminfo has no line HugePages_Total: the kernel has none");
    else
      sheet.add("", "huge pages", size.empty() ? total : fmt::format("{} of {}", total, size));
  }
  const std::filesystem::path transparent = sheet.path("sys/kernel/mm/transparent_hugepage/enabled");
  if (const std::string line = sysfs_line(transparent); !line.empty())
    sheet.add("", "transparent huge pages", chosen(line));
  else
    sheet.line("", "transparent huge pages", transparent);
  sheet.line("", "numa balancing", sheet.path("proc/sys/kernel/numa_balancing"));
}

}  // namespace railgauge::topo::preflight

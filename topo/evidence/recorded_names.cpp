#include "topo/evidence/recorded_names.hpp"

#include <algorithm>

#include "topo/evidence/sysfs.hpp"

namespace railgauge::topo {
namespace {

struct File {
  const char *path, *name;
};
// Where several tell the same the first counts.
constexpr auto files = std::to_array<File>({{"proc/sys/kernel/hostname", "HostName"},
                                            {"etc/hostname", "HostName"},
                                            {"proc/sys/kernel/ostype", "OSName"},
                                            {"proc/sys/kernel/osrelease", "OSRelease"},
                                            {"proc/sys/kernel/version", "OSVersion"},
                                            {"proc/sys/kernel/arch", "Architecture"}});

std::string_view word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view found = text.substr(0, text.find(' '));
  text.remove_prefix(found.size());
  return found;
}

}  // namespace

std::map<std::string, std::string> recorded_names(const std::filesystem::path& root) {
  constexpr std::size_t largest = 65536;
  std::map<std::string, std::string> names;
  const auto put = [&](const std::string& name, std::string_view value) {
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ') value.remove_suffix(1);
    if (!value.empty()) names.try_emplace(name, value);
  };
  const std::string told = sysfs_bytes(root / "proc/hwloc-nofile-info", largest);
  for (std::string_view rest = told; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    for (const std::string_view name : names_of_machine)
      if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
        put(std::string(name), line.substr(name.size() + 1));
  }
  for (const File& file : files) put(file.name, sysfs_line(root / file.path));
  // "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12 ...) #1 SMP ..."
  const std::string version = sysfs_line(root / "proc/version");
  std::string_view rest = version;
  const std::string_view system = word(rest);
  if (word(rest) == "version") {
    put("OSName", system);
    put("OSRelease", word(rest));
    if (const std::size_t build = version.find(" #"); build != std::string::npos) put("OSVersion", version.substr(build + 1));
  }
  return names;
}

}  // namespace railgauge::topo

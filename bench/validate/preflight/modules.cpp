// Whether NICs can reach GPU memory themselves, and the versions of libraries.
#include <fmt/format.h>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

bool has_module(std::string_view modules, std::string_view name) {
  Lines lines(modules);
  while (lines.next()) {
    Scan scan(lines.line());
    if (scan.word() == name) return true;
  }
  return false;
}

// dmabuf came to libibverbs' kernel side with Linux 5.12.
bool kernel_has_dmabuf(const std::string& release) {
  Scan scan(release);
  const auto major = scan.number();
  const auto minor = scan.take(".") ? scan.number() : std::nullopt;
  return major && minor && (*major > 5 || (*major == 5 && *minor >= 12));
}

}  // namespace

void read_modules(const ReadOptions& options, Sheet& sheet) {
  for (const auto& [library, version] : options.versions) sheet.add(library, "library", version);
  const std::filesystem::path driver = sheet.path("proc/driver/nvidia/version");
  std::error_code error;
  if (!std::filesystem::exists(driver, error)) return;  // no GPU of NVIDIA's, so nothing is missing
  if (const auto modules = sheet.whole("", "nvidia_peermem", sheet.path("proc/modules"))) {
    const bool loaded = has_module(*modules, "nvidia_peermem") || has_module(*modules, "nv_peer_mem");
    sheet.add("", "nvidia_peermem", loaded ? "loaded" : "not loaded");
  }
  const auto text = sheet.whole("", "gpu driver kind", driver);
  if (!text) return;
  const bool open = text->find("Open Kernel Module") != std::string::npos;
  sheet.add("", "gpu driver kind", open ? "open kernel modules" : "closed kernel modules");
  const std::string release = sysfs_line(sheet.path("proc/sys/kernel/osrelease"));
  if (release.empty())
    sheet.line("", "dmabuf", sheet.path("proc/sys/kernel/osrelease"));
  else if (!kernel_has_dmabuf(release))
    sheet.add("", "dmabuf", "not possible: the kernel is older than 5.12");
  else
    sheet.add("", "dmabuf", open ? "possible" : "not possible: it takes the open kernel modules of the GPU driver");
}

}  // namespace railgauge::topo::preflight

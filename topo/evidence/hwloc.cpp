// Asks libhwloc what this machine is made of, and gives its answer as XML.
#include <fmt/format.h>
#include <hwloc.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "topo/evidence/sources.hpp"

namespace railgauge::topo {
namespace {

struct HwlocDestroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, HwlocDestroy>;

// Throws Error(usage) "hwloc_topology_load of node7.xml: Invalid argument (libhwloc 2.9)".
[[noreturn]] void throw_hwloc(const char* call, const std::string& origin, int code) {
  const unsigned version = hwloc_get_api_version();
  throw Error(Fault::usage, fmt::format("{} of {}: {} (libhwloc {}.{})", call, origin, std::generic_category().message(code),
                                        version >> 16U, (version >> 8U) & 0xffU));
}

// A topology that will keep every PCIe device and bridge when it is loaded.
HwlocTopology make_hwloc(const std::string& origin) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw_hwloc("hwloc_topology_init", origin, errno);
  HwlocTopology topology(raw);
  if (hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL) != 0)
    throw_hwloc("hwloc_topology_set_io_types_filter", origin, errno);
  return topology;
}

// libhwloc takes the folder in front of /sys and /proc from the environment and from nowhere else. Set for one load.
class Root {
 public:
  explicit Root(const std::filesystem::path& root) {
    if (root.empty()) return;
    if (const char* old = std::getenv(variable)) before_ = old;
    set_ = true;
    ::setenv(variable, root.c_str(), 1);
  }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  ~Root() {
    if (!set_) return;
    if (before_)
      ::setenv(variable, before_->c_str(), 1);
    else
      ::unsetenv(variable);
  }

 private:
  static constexpr const char* variable = "HWLOC_FSROOT";
  std::optional<std::string> before_;
  bool set_ = false;
};

void check_root(const std::filesystem::path& root) {
  std::error_code error;
  if (!root.empty() && !std::filesystem::is_directory(root / "sys", error))
    throw Error(Fault::usage, fmt::format("{}: no recorded machine is there: it has no folder sys", root.string()));
}

}  // namespace

std::string collect_hwloc(const std::filesystem::path& root) {
  check_root(root);
  const std::string origin = root.empty() ? "this machine" : root.string();
  const HwlocTopology topology = make_hwloc(origin);
  const auto without = [&](const char* component) {
    hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  };
  // The X server knows nothing of links, and OpenCL's drivers can hang or crash; neither adds a device that others miss.
  without("gl");
  without("opencl");
  if (!root.empty()) {  // these would ask the processor and the buses that we run on
    without("x86");
    without("pci");
  }
  {
    const Root set(root);
    if (hwloc_topology_load(topology.get()) != 0) throw_hwloc("hwloc_topology_load", origin, errno);
  }
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology.get(), &text, &length, 0) != 0)
    throw_hwloc("hwloc_topology_export_xmlbuffer", origin, errno);
  const auto release = [&](char* buffer) { hwloc_free_xmlbuffer(topology.get(), buffer); };
  const std::unique_ptr<char, decltype(release)> owner(text, release);
  return text;
}

}  // namespace railgauge::topo

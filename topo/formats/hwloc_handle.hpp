// Owns a libhwloc topology.
#pragma once

#include <fmt/format.h>
#include <hwloc.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace railgauge::topo {

struct HwlocDestroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, HwlocDestroy>;

// Throws Error(usage) "hwloc_topology_load of node7.xml: Invalid argument (libhwloc 2.9)".
[[noreturn]] inline void throw_hwloc(const char* call, const std::string& origin, int code) {
  const unsigned version = hwloc_get_api_version();
  throw Error(Fault::usage, fmt::format("{} of {}: {} (libhwloc {}.{})", call, origin, std::generic_category().message(code),
                                        version >> 16U, (version >> 8U) & 0xffU));
}

// A topology that will keep every PCIe device and bridge when it is loaded.
inline HwlocTopology make_hwloc(const std::string& origin) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw_hwloc("hwloc_topology_init", origin, errno);
  HwlocTopology topology(raw);
  if (hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL) != 0)
    throw_hwloc("hwloc_topology_set_io_types_filter", origin, errno);
  return topology;
}

}  // namespace railgauge::topo

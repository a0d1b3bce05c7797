// Asks libhwloc what this machine is made of, and gives its answer as XML.
#include <fmt/format.h>
#include <hwloc.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/markup.hpp"
#include "topo/evidence/collectors.hpp"
#include "topo/evidence/recorded_names.hpp"

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

// libhwloc takes some things from the environment and from nothing else. Set for one load.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// libhwloc says the name and the system of the machine that it runs on where a recording has none. In their place stand those of
// the recording, as far as it tells them.
void name_recorded_machine(std::string& text, const std::filesystem::path& root) {
  for (const std::string_view name : names_of_machine)
    for (std::size_t at = text.find(fmt::format("<info name=\"{}\"", name)); at != std::string::npos;
         at = text.find(fmt::format("<info name=\"{}\"", name))) {
      const std::size_t end = text.find('>', at);
      if (end == std::string::npos) return;
      text.erase(at, end - at + 1);
    }
  const std::size_t machine = text.find("<object type=\"Machine\"");
  const std::size_t end = machine == std::string::npos ? machine : text.find('>', machine);
  if (end == std::string::npos || text[end - 1] == '/') return;
  std::string infos;
  for (const auto& [name, value] : recorded_names(root))
    infos += fmt::format("\n    <info name=\"{}\" value=\"{}\"/>", name, escaped(value));
  text.insert(end + 1, infos);
}

void check_root(const std::filesystem::path& root) {
  std::error_code error;
  if (!root.empty() && !std::filesystem::is_directory(root / "sys", error))
    throw Error(Fault::usage, fmt::format("{}: no recorded machine is there: it has no folder sys", root.string()));
}

}  // namespace

Taken collect_hwloc(const std::filesystem::path& root) {
  check_root(root);
  std::error_code error;
  if (!root.empty() && !std::filesystem::is_directory(root / "sys/devices/system/cpu", error))
    return {{}, fmt::format("{}: no processors are recorded there", root.string())};
  const std::string origin = root.empty() ? "this machine" : root.string();
  const HwlocTopology topology = make_hwloc(origin);
  const auto without = [&](const char* component) {
    hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  };
  // The X server knows nothing of links, and OpenCL's drivers can hang or crash; neither adds a device that others miss.
  without("gl");
  without("opencl");
  // NVIDIA's driver is asked by the source nvml, in a process of its own: here a call that hangs would hang the program.
  without("nvml");
  without("cuda");
  if (!root.empty()) {  // these would ask the processor and the buses that we run on
    without("x86");
    without("pci");
  }
  {
    std::optional<Variable> prefix;
    std::optional<Variable> quiet;
    if (!root.empty()) {
      prefix.emplace("HWLOC_FSROOT", root.string());
      quiet.emplace("HWLOC_HIDE_ERRORS", "2");  // faults of the recording are no news
    }
    if (hwloc_topology_load(topology.get()) != 0) throw_hwloc("hwloc_topology_load", origin, errno);
  }
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology.get(), &text, &length, 0) != 0)
    throw_hwloc("hwloc_topology_export_xmlbuffer", origin, errno);
  const auto release = [&](char* buffer) { hwloc_free_xmlbuffer(topology.get(), buffer); };
  const std::unique_ptr<char, decltype(release)> owner(text, release);
  std::string xml = text;
  if (!root.empty()) name_recorded_machine(xml, root);
  return {std::move(xml), {}};
}

}  // namespace railgauge::topo

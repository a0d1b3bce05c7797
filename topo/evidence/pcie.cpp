// Takes what the kernel says of PCI functions and their links, readable by every user.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <system_error>

#include "topo/evidence/collectors.hpp"
#include "topo/evidence/evidence.hpp"
#include "topo/evidence/pci_configuration.hpp"
#include "topo/evidence/sysfs.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

struct SysfsAttribute {
  const char *file, *name;  // in the kernel, and in the evidence
};
constexpr auto attributes = std::to_array<SysfsAttribute>({
    {"class", "class"},
    {"vendor", "vendor"},
    {"device", "device_id"},
    {"subsystem_vendor", "subsystem_vendor"},
    {"subsystem_device", "subsystem_device"},
    {"current_link_speed", "current_link_speed"},
    {"max_link_speed", "max_link_speed"},
    {"current_link_width", "current_link_width"},
    {"max_link_width", "max_link_width"},
    {"numa_node", "numa_node"},
    {"power_state", "power_state"},
    {"label", "label"},
});

// What a function is, from its PCI Express capability, which the kernel shows to root alone.
std::string_view role_of(PciConfiguration configuration) {
  constexpr unsigned express = 0x10;
  const std::size_t at = configuration.capability(express);
  if (at == 0) return {};
  switch (configuration.number(at + 2, 1) >> 4U) {
    case 0:
    case 1:
      return "endpoint";
    case 4:
      return "root_port";
    case 5:
      return "upstream_port";
    case 6:
      return "downstream_port";
    default:
      return "other";
  }
}

// The folders that the device stands in, from "devices" on; empty where the entry is no link.
std::string path_of(const fs::path& entry) {
  std::error_code error;
  std::string path = fs::read_symlink(entry, error).generic_string();
  while (path.starts_with("../")) path.erase(0, 3);
  constexpr std::string_view devices = "devices/";
  if (path.starts_with(devices)) path.erase(0, devices.size());
  const bool odd = std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  return odd ? std::string() : path;
}

}  // namespace

Taken collect_pcie(const fs::path& root) {
  const fs::path folder = (root.empty() ? fs::path("/") : root) / "sys/bus/pci/devices";
  std::string text;
  const auto put = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(text), "{} {}\n", name, value);
  };
  for (const std::string& address : sysfs_names(folder)) {
    const fs::path entry = folder / address;
    if (address.find('.') == std::string::npos || address.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos)
      continue;
    if (text.empty()) text = "railgauge pcie 1\n";
    put("device", address);
    put("path", path_of(entry));
    for (const SysfsAttribute& it : attributes) put(it.name, sysfs_line(entry / it.file));
    put("physical_function", sysfs_link(entry / "physfn"));
    put("driver", sysfs_link(entry / "driver"));
    put("role", role_of(PciConfiguration(entry / "config")));
  }
  if (text.empty()) return {{}, fmt::format("{}: no PCI device", folder.string())};
  fmt::format_to(std::back_inserter(text), "{}\n", end_of_evidence);
  return {std::move(text), {}};
}

}  // namespace railgauge::topo

// Takes what the kernel says of PCI functions and their links, readable by every user.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/descriptor.hpp"
#include "topo/evidence/collectors.hpp"
#include "topo/evidence/evidence.hpp"
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

// The configuration space of a function. Read by double words, and no more of them than are asked for: a virtual machine may take
// 30 us for each.
class Configuration {
 public:
  explicit Configuration(const fs::path& path) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  }
  // Nothing where the kernel shows less of it: all users see 64 bytes, root the rest.
  [[nodiscard]] std::optional<unsigned> byte(std::size_t at) {
    const std::size_t begin = at / word_.size() * word_.size();
    if (begin != begin_) {
      const ssize_t got = ::pread(file_.get(), word_.data(), word_.size(), static_cast<off_t>(begin));
      begin_ = got == static_cast<ssize_t>(word_.size()) ? begin : unread;
    }
    if (begin_ == unread) return std::nullopt;
    return word_[at - begin];
  }

 private:
  static constexpr std::size_t unread = ~std::size_t{0};
  Descriptor file_;
  std::array<unsigned char, 4> word_{};
  std::size_t begin_ = unread;  // of the double word that was read last
};

// What a function is, from its PCI Express capability.
std::string_view role_of(Configuration configuration) {
  constexpr std::size_t status = 0x06;
  constexpr std::size_t first = 0x34;
  constexpr std::size_t header = 0x40;
  constexpr unsigned has_capabilities = 0x10;
  constexpr unsigned express = 0x10;
  const auto link_at = [&](std::size_t at) { return configuration.byte(at).value_or(0) & ~3U; };
  if ((configuration.byte(status).value_or(0) & has_capabilities) == 0) return {};
  std::size_t at = link_at(first);
  for (int steps = 0; at >= header && steps < 48; ++steps, at = link_at(at + 1)) {
    const std::optional<unsigned> capability = configuration.byte(at), type = configuration.byte(at + 2);
    if (!capability || !type) break;
    if (*capability != express) continue;
    switch (*type >> 4U) {
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
  return {};
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
    put("role", role_of(Configuration(entry / "config")));
  }
  if (text.empty()) return {{}, fmt::format("{}: no PCI device", folder.string())};
  fmt::format_to(std::back_inserter(text), "{}\n", end_of_evidence);
  return {std::move(text), {}};
}

}  // namespace railgauge::topo

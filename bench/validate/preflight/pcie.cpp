// PCIe functions that carry traffic, and the bridges above them: payload sizes, read requests, ACS and errors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/pci_configuration.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/pci.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo::preflight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_file = 4096;  // of the kernel's

bool carries_traffic(Kind kind) {
  return kind == Kind::gpu || kind == Kind::nic || kind == Kind::accelerator || kind == Kind::nvswitch;
}

unsigned hexadecimal(const fs::path& file) {
  const std::string line = sysfs_line(file);
  Scan scan(line);
  scan.take("0x");
  return static_cast<unsigned>(scan.number(16).value_or(0));
}

Kind kind_of(const fs::path& entry) {
  return pci_kind({static_cast<std::uint16_t>(hexadecimal(entry / "class") >> 8U),
                   static_cast<std::uint16_t>(hexadecimal(entry / "vendor")),
                   static_cast<std::uint16_t>(hexadecimal(entry / "device"))});
}

// The bridges that the function's folder stands in, by address.
std::vector<std::string> bridges_above(const fs::path& entry, const std::string& address) {
  std::vector<std::string> above;
  std::error_code error;
  for (const fs::path& part : fs::read_symlink(entry, error))
    if (const std::string key = pci_key(part.string()); !key.empty() && key != address) above.push_back(key);
  return above;
}

// PCI Express capability: device control at 8.
void read_sizes(Sheet& sheet, const std::string& subject, PciConfiguration& configuration) {
  const std::size_t at = configuration.capability(0x10);
  if (at == 0) return;  // conventional PCI, or a paravirtual device: nothing to say
  const unsigned control = configuration.number(at + 8, 2);
  sheet.add(subject, "max payload", fmt::format("{} bytes", 128U << (control >> 5U & 7U)));
  sheet.add(subject, "max read request", fmt::format("{} bytes", 128U << (control >> 12U & 7U)));
}

// Access control services: control at 6.
void read_acs(Sheet& sheet, const std::string& subject, PciConfiguration& configuration) {
  if (configuration.size() < PciConfiguration::all_of_it)
    return sheet.unread(subject, "acs", "the extended configuration space was not given");
  const std::size_t at = configuration.extended(0x0d);
  if (at == 0) return sheet.add(subject, "acs", "absent");
  const unsigned control = configuration.number(at + 6, 2);
  // Without one of these, what two devices below say to each other goes straight.
  const bool redirects = (control & 0x0cU) != 0 || (control & 0x20U) != 0;
  sheet.add(subject, "acs", redirects ? fmt::format("redirects (control 0x{:02x})", control) : "redirects nothing",
            redirects ? Condition::redirects : Condition::plain);
}

// "TOTAL_ERR_COR 12" ends each of these files.
void read_errors(Sheet& sheet, const std::string& subject, const fs::path& entry) {
  for (const auto& [name, file, total] : {std::tuple{"aer correctable", "aer_dev_correctable", "TOTAL_ERR_COR"},
                                          std::tuple{"aer nonfatal", "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL"},
                                          std::tuple{"aer fatal", "aer_dev_fatal", "TOTAL_ERR_FATAL"}}) {
    const std::string text = sysfs_bytes(entry / file, longest_file);
    Lines lines(text);
    while (lines.next()) {
      Scan scan(lines.line());
      if (scan.word() != total) continue;
      if (const auto count = scan.blanks().number()) sheet.add(subject, name, fmt::format("{}", *count));
    }
  }
}

}  // namespace

void read_pcie(const ReadOptions& options, Sheet& sheet) {
  const fs::path folder = sheet.path("sys/bus/pci/devices");
  std::vector<std::string> devices;
  std::set<std::string> bridges;
  for (const std::string& address : sysfs_names(folder)) {
    if (pci_key(address) != address || !carries_traffic(kind_of(folder / address))) continue;
    devices.push_back(address);
    bridges.merge([&] {
      const std::vector<std::string> above = bridges_above(folder / address, address);
      return std::set<std::string>(above.begin(), above.end());
    }());
  }
  for (const std::string& address : devices) {
    const std::string subject = "PCIe " + address;
    sheet.doing(fmt::format("the reading of {}", (folder / address).string()));
    read_errors(sheet, subject, folder / address);
    if (options.extent != Extent::all) continue;
    PciConfiguration configuration(folder / address / "config");
    if (configuration.size() > PciConfiguration::for_everybody) {
      read_sizes(sheet, subject, configuration);
    } else {
      const std::string reason = fmt::format("{}: the kernel gives {} bytes, the rest to root alone",
                                             (folder / address / "config").string(), configuration.size());
      sheet.unread(subject, "max payload", reason);
      sheet.unread(subject, "max read request", reason);
    }
  }
  for (const std::string& address : bridges) {
    const std::string subject = "PCIe " + address;
    read_errors(sheet, subject, folder / address);
    if (options.extent != Extent::all) continue;
    PciConfiguration configuration(folder / address / "config");
    if (configuration.size() > PciConfiguration::for_everybody)
      read_acs(sheet, subject, configuration);
    else
      sheet.unread(subject, "acs",
                   fmt::format("{}: the kernel gives {} bytes, the rest to root alone", (folder / address / "config").string(),
                               configuration.size()));
  }
}

}  // namespace railgauge::topo::preflight

// Reads the kernel's words about PCI functions, as collect_pcie() keeps them:
//
//     railgauge pcie 1
//     device 0000:3b:00.0
//     path pci0000:3a/0000:3a:00.0/0000:3b:00.0
//     class 0x020700
//     max_link_speed 32.0 GT/s PCIe
#include "topo/read/pcie.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/error.hpp"
#include "topo/pci.hpp"
#include "topo/read/ending.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::string_view head = "railgauge pcie 1";

// "0x10de"; `shift` bits less.
std::uint16_t number(std::string_view text, unsigned shift = 0) {
  std::uint32_t value = 0;
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return static_cast<std::uint16_t>(value >> shift);
}

bool is_root(std::string_view part) {
  const std::size_t colon = part.find(':');
  if (!part.starts_with("pci") || colon == std::string_view::npos) return false;
  return part.size() == colon + 3 && !pci_key(fmt::format("{}:00.0", part.substr(3))).empty();
}

// The nearest bridge, or root, among the folders that the device's folder stands in.
void place(PcieFunction& function, std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    const std::string address = pci_key(part);
    if (address == function.address) continue;
    if (!address.empty()) {
      function.above = address;
      return;
    }
    if (is_root(part)) {
      function.root = std::string(part);
      return;
    }
  }
}

struct Role {
  std::string_view word;
  PcieRole role;
};
constexpr auto roles = std::to_array<Role>({
    {"endpoint", PcieRole::endpoint},
    {"root_port", PcieRole::root_port},
    {"upstream_port", PcieRole::upstream_port},
    {"downstream_port", PcieRole::downstream_port},
    {"other", PcieRole::other},
});

// Words that stand in the node as they are.
constexpr auto copied = std::to_array<std::string_view>({"driver", "power_state", "label"});

void take(PcieFunction& it, std::string_view key, std::string_view value) {
  if (key == "path") place(it, value);
  if (key == "class") it.device_class = number(value, 8);
  if (key == "vendor") it.vendor_id = number(value);
  if (key == "device_id") it.device_id = number(value);
  if (key == "subsystem_vendor") it.subsystem_vendor_id = number(value);
  if (key == "subsystem_device") it.subsystem_id = number(value);
  if (key == "current_link_speed") it.active.speed = pcie_speed(value);
  if (key == "max_link_speed") it.capable.speed = pcie_speed(value);
  if (key == "current_link_width") it.active.width = pcie_width(value);
  if (key == "max_link_width") it.capable.width = pcie_width(value);
  if (key == "physical_function") it.physical_function = pci_key(value);
  if (key == "numa_node") {
    Scan scan(value);
    if (const auto node = scan.number(); node && scan.done() && *node < 0x10000) it.numa = static_cast<unsigned>(*node);
  }
  for (const Role& role : roles)
    if (key == "role" && value == role.word) it.role = role.role;
  for (const std::string_view word : copied)
    if (key == word && !value.empty()) it.attributes[std::string(word)] = std::string(value);
}

}  // namespace

bool is_pcie(std::string_view text) { return text.starts_with(head); }

Graph read_pcie(const Reading& reading) {
  const auto fail = [&](std::size_t line, const std::string& what) {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", reading.origin, line, what));
  };
  Lines lines(reading.text);
  if (!lines.next() || lines.line() != head) fail(1, fmt::format("'{}' was expected", head));
  std::vector<PcieFunction> functions;
  while (lines.next()) {
    Scan scan(lines.line());
    const std::string_view key = scan.word();
    if (key.empty() || key.starts_with('#')) continue;
    const std::string_view value = scan.blanks().rest();
    if (key == "device") {
      functions.emplace_back().address = pci_key(value);
      if (functions.back().address.empty()) fail(lines.number(), "an address was expected, such as 0000:3b:00.0");
    } else if (functions.empty()) {
      fail(lines.number(), "'device' and an address were expected before anything about one");
    } else {
      take(functions.back(), key, value);
    }
  }
  if (functions.empty()) fail(lines.number(), "there is no PCI device in it");
  Graph graph = pcie_graph(std::move(functions), "pcie");
  check_end(graph, reading);
  return graph;
}

}  // namespace railgauge::topo

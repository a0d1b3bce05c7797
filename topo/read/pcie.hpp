// PCI functions with what they say of their links, from the kernel or from lspci, and the tree that they make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// What a function says that it is (PCI Express Capabilities, device/port type).
enum class PcieRole : std::uint8_t { unknown, endpoint, root_port, upstream_port, downstream_port, other };

struct PcieFunction {
  std::string address;  // "0000:3b:00.0", as pci_key() writes it
  std::string above;    // address of the bridge; empty where the tree begins
  std::string root;     // "pci0000:3a", where the tree begins; else not looked at
  std::uint16_t device_class = 0, vendor_id = 0, device_id = 0, subsystem_vendor_id = 0, subsystem_id = 0;
  std::string vendor, device, class_name;  // words, where somebody told them
  PcieRole role = PcieRole::unknown;
  Rate capable, active;           // of an endpoint its link up; of a root or downstream port its link down
  std::optional<unsigned> numa;   // the kernel's number
  std::string physical_function;  // address, of a virtual function
  std::string buses;              // below a bridge: "3b-3f"
  Attributes attributes;          // more about it
};

// Gigatransfers per second of "8 GT/s", "8.0 GT/s PCIe", "2.5GT/s"; 0 for "Unknown" and anything else.
[[nodiscard]] double pcie_speed(std::string_view text);

// Lanes of "16" or "x16"; 0, 63 and 255 mean that it is unknown and give 0, as does what is no number.
[[nodiscard]] unsigned pcie_width(std::string_view text);

// The tree of one machine. Where bridges are above each other in a circle it is cut open.
[[nodiscard]] Graph pcie_graph(std::vector<PcieFunction> functions, const std::string& source);

// The evidence that collect_pcie() takes.
[[nodiscard]] bool is_pcie(std::string_view text);
[[nodiscard]] Graph read_pcie(const Reading& reading);  // throws Error(usage) "ORIGIN:LINE: ..."

// What `lspci -vvv` prints, -D, -n, -nn and -k or not.
[[nodiscard]] bool is_lspci(std::string_view text);
[[nodiscard]] Graph read_lspci(const Reading& reading);  // throws Error(usage) "ORIGIN:LINE: ..."

}  // namespace railgauge::topo

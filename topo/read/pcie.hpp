// PCI functions and their links, from the kernel or from lspci, and the PCIe tree of a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// The device/port type of a function (PCI Express Capabilities register).
enum class PcieRole : std::uint8_t { unknown, endpoint, root_port, upstream_port, downstream_port, other };

struct PcieFunction {
  std::string address;  // "0000:3b:00.0", as pci_key() writes it
  std::string above;    // address of the bridge above; empty at the root of the tree
  std::string root;     // "pci0000:3a" when `above` is empty; else ignored
  std::uint16_t device_class = 0, vendor_id = 0, device_id = 0, subsystem_vendor_id = 0, subsystem_id = 0;
  std::string vendor, device, class_name;  // names, where the source has them
  PcieRole role = PcieRole::unknown;
  Rate capable, active;           // of the link above an endpoint, of the link below a root or downstream port
  std::optional<unsigned> numa;   // the kernel's number
  std::string physical_function;  // of a virtual function: address of its physical function
  std::string buses;              // below a bridge: "3b-3f"
  Attributes attributes;          // further attributes of the node
};

// Gigatransfers per second of "8 GT/s", "8.0 GT/s PCIe", "2.5GT/s"; 0 for "Unknown" and anything else.
[[nodiscard]] double pcie_speed(std::string_view text);

// Lanes of "16" or "x16"; 0 for 0, 63 and 255, which mean unknown, and for a text that is no number.
[[nodiscard]] unsigned pcie_width(std::string_view text);

// The tree of one machine. Breaks cycles of bridges.
[[nodiscard]] Graph pcie_graph(std::vector<PcieFunction> functions, const std::string& source);

// The evidence of collect_pcie().
[[nodiscard]] bool is_pcie(std::string_view text);
[[nodiscard]] Graph read_pcie(const Reading& reading);  // throws Error(usage) "ORIGIN:LINE: ..."

// The output of `lspci -vvv`, with or without -D, -n, -nn and -k.
[[nodiscard]] bool is_lspci(std::string_view text);
[[nodiscard]] Graph read_lspci(const Reading& reading);  // throws Error(usage) "ORIGIN:LINE: ..."

}  // namespace railgauge::topo

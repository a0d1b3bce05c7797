// What PCI class and vendor numbers mean, for machines without the database of PCI names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct PciId {
  std::uint16_t device_class, vendor, device;  // class: base and sub-class, 0x0302
};

// `nic` also when the device carries a network or OpenFabrics device of the kernel, whatever its class.
[[nodiscard]] Kind pci_kind(const PciId&) noexcept;
[[nodiscard]] std::string_view pci_class_word(std::uint16_t device_class) noexcept;  // "NVMe"; "" when there is none
// "NVIDIA GH100 [H100 SXM5 80GB]" less what only its maker says: "NVIDIA H100 SXM5 80GB". `vendor` and `device` are somebody's
// words for them, and may be empty.
[[nodiscard]] std::string pci_name(const PciId&, std::string_view vendor, std::string_view device);
[[nodiscard]] std::string_view pci_vendor_word(std::uint16_t vendor) noexcept;  // "NVIDIA"; "" when there is none

// "0000:3b:00.0" of any of the ways to write a PCI address: "00000000:3B:00.0", "3b:00.0". Empty when it is none.
[[nodiscard]] std::string pci_key(std::string_view text);

}  // namespace railgauge::topo

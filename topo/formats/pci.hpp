// What PCI class and vendor numbers mean, for machines without the database of PCI names.
#pragma once

#include <cstdint>
#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct PciId {
  std::uint16_t device_class, vendor, device;  // class: base and sub-class, 0x0302
};

// `nic` also when the device carries a network or OpenFabrics device of the kernel, whatever its class.
[[nodiscard]] Kind pci_kind(const PciId&) noexcept;
[[nodiscard]] std::string_view pci_class_word(std::uint16_t device_class) noexcept;  // "NVMe"; "" when there is none
[[nodiscard]] std::string_view pci_vendor_word(std::uint16_t vendor) noexcept;       // "NVIDIA"; "" when there is none

}  // namespace railgauge::topo

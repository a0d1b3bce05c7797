// The meaning of PCI class and vendor numbers, for machines without the database of PCI names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct PciId {
  std::uint16_t device_class, vendor, device;  // class: base and sub-class, 0x0302
};

// The kind by class and vendor; Kind::device for others.
[[nodiscard]] Kind pci_kind(const PciId&) noexcept;
[[nodiscard]] std::string_view pci_class_word(std::uint16_t device_class) noexcept;  // "NVMe"; "" when unknown
// A name for people: "NVIDIA GH100 [H100 SXM5 80GB]" without the chip's code name is "NVIDIA H100 SXM5 80GB". `vendor` and
// `device` are names from another source, and may be empty.
[[nodiscard]] std::string pci_name(const PciId&, std::string_view vendor, std::string_view device);
[[nodiscard]] std::string_view pci_vendor_word(std::uint16_t vendor) noexcept;  // "NVIDIA"; "" when unknown

// "0000:3b:00.0" from any notation of a PCI address: "00000000:3B:00.0", "3b:00.0". Empty when the text is no PCI address.
[[nodiscard]] std::string pci_key(std::string_view text);

}  // namespace railgauge::topo

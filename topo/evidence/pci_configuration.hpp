// The configuration space of a PCI function, in the kernel's file "config", and the capabilities listed in it (PCI Local Bus
// Specification 3.0, 6.7; PCI Express Base Specification, 7.9).
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>

#include "base/descriptor.hpp"

namespace railgauge::topo {

// Read by double words, and no more of them than are asked for: a virtual machine may take 30 us for each. None of the functions
// throws.
class PciConfiguration {
 public:
  static constexpr std::size_t for_everybody = 64, all_of_it = 4096;  // bytes that the kernel shows to each user, and to root

  explicit PciConfiguration(const std::filesystem::path& path);
  // How many bytes the kernel shows; 0 where there is no such file.
  [[nodiscard]] std::size_t size();
  // `width` bytes, at most 4, from `at` on, the least significant one first; 0 for those that are not shown.
  [[nodiscard]] unsigned number(std::size_t at, std::size_t width);
  // Where the capability, or extended capability, of this number begins; 0 where there is none, or it is not shown.
  [[nodiscard]] std::size_t capability(unsigned wanted);
  [[nodiscard]] std::size_t extended(unsigned wanted);

 private:
  [[nodiscard]] bool shows(std::size_t at);

  Descriptor file_;
  std::array<unsigned char, 4> word_{};  // that was read last
  std::size_t begin_ = all_of_it, shown_ = 0;
};

}  // namespace railgauge::topo

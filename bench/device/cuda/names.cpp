// Writes the names of bench/device/cuda/names.hpp.
#include "bench/device/cuda/names.hpp"

#include <fmt/format.h>

#include <string_view>

namespace railgauge::cuda {

std::string name_of(int number) { return fmt::format("cuda:{}", number); }

// CUDA gives the number alone. The driver's tools begin that of a MIG instance by other letters; its name says that it is one:
// "NVIDIA H100 80GB HBM3 MIG 1g.10gb".
std::string uuid_of(const cudaDeviceProp& device) {
  std::string text = std::string_view(device.name).find(" MIG ") == std::string_view::npos ? "GPU" : "MIG";
  for (std::size_t i = 0; i < sizeof device.uuid.bytes; ++i)
    text += fmt::format("{}{:02x}", i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                        static_cast<unsigned char>(device.uuid.bytes[i]));
  return text;
}

std::string pci_address_of(const cudaDeviceProp& device) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", device.pciDomainID, device.pciBusID, device.pciDeviceID);
}

std::string description_of(const cudaDeviceProp& device) {
  return fmt::format("{}, {:.1f} GB, compute capability {}.{}, PCI {}, {}", device.name,
                     static_cast<double>(device.totalGlobalMem) / 1e9, device.major, device.minor, pci_address_of(device),
                     uuid_of(device));
}

}  // namespace railgauge::cuda

// Writes the names of bench/device/cuda/names.hpp.
#include "bench/device/cuda/names.hpp"

#include <fmt/format.h>

namespace railgauge::cuda {

std::string name_of(int number) { return fmt::format("cuda:{}", number); }

std::string uuid_of(const cudaDeviceProp& device) {
  std::string text = "GPU";
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

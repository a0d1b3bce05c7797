// What devices are called: by number here, and by what names them on every machine.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace railgauge::cuda {

[[nodiscard]] std::string name_of(int number);                           // "cuda:0"
[[nodiscard]] std::string uuid_of(const cudaDeviceProp& device);         // "GPU-7a...", "MIG-7a..."
[[nodiscard]] std::string pci_address_of(const cudaDeviceProp& device);  // "0000:1b:00.0"
[[nodiscard]] std::string description_of(
    const cudaDeviceProp& device);  // "NVIDIA H200, 150.1 GB, compute capability 9.0, PCI ..."

}  // namespace railgauge::cuda

// Asks the driver for descriptors. Its functions are looked up: those of older drivers lack some.
#include "bench/device/cuda/dmabuf.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>

namespace railgauge::cuda {
namespace {

struct Driver {
  decltype(&cuDeviceGetAttribute) attribute = nullptr;
  decltype(&cuMemGetHandleForAddressRange) handle = nullptr;
  decltype(&cuPointerSetAttribute) set = nullptr;

  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) return;
    attribute = reinterpret_cast<decltype(attribute)>(dlsym(library, "cuDeviceGetAttribute"));
    handle = reinterpret_cast<decltype(handle)>(dlsym(library, "cuMemGetHandleForAddressRange"));
    set = reinterpret_cast<decltype(set)>(dlsym(library, "cuPointerSetAttribute"));
  }
};

const Driver& driver() {
  static const Driver found;
  return found;
}

}  // namespace

int export_dmabuf(void* address, std::size_t bytes, int number) noexcept {
  const Driver& api = driver();
  if (api.attribute == nullptr || api.handle == nullptr || api.set == nullptr) return -1;
  int supported = 0;
  if (api.attribute(&supported, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, number) != CUDA_SUCCESS || supported == 0) return -1;
  const auto place = reinterpret_cast<CUdeviceptr>(address);
  int fd = -1;
  if (api.handle(&fd, place, bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0) != CUDA_SUCCESS) return -1;
  unsigned on = 1;
  (void)api.set(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, place);
  return fd;
}

}  // namespace railgauge::cuda

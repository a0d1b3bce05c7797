// Looks the driver up.
#include "transports/cuda_ipc/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace railgauge::cuda_ipc {
namespace {

class Loading {
 public:
  explicit Loading(Driver& driver) : driver_(driver), library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    if (library_ != nullptr) return;
    const char* const reason = dlerror();
    driver_.missing =
        fmt::format("NVIDIA's driver is not there: {}", reason != nullptr ? reason : "libcuda.so.1 cannot be loaded");
  }
  template <class Function>
  void find(Function*& function, const char* name) {
    if (library_ == nullptr) return;
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && driver_.missing.empty())
      driver_.missing = fmt::format("NVIDIA's driver is older than CUDA 12: it has no {}", name);
  }

 private:
  Driver& driver_;
  void* library_;
};

}  // namespace

const Driver& driver() {
  static const Driver found = [] {
    Driver made;
    Loading from(made);
    from.find(made.get_error_name, "cuGetErrorName");
    from.find(made.get_error_string, "cuGetErrorString");
    from.find(made.ctx_get_device, "cuCtxGetDevice");
    from.find(made.device_get_count, "cuDeviceGetCount");
    from.find(made.device_get_uuid, "cuDeviceGetUuid_v2");
    from.find(made.device_get_attribute, "cuDeviceGetAttribute");
    from.find(made.device_can_access_peer, "cuDeviceCanAccessPeer");
    from.find(made.mem_alloc, "cuMemAlloc_v2");
    from.find(made.mem_free, "cuMemFree_v2");
    from.find(made.memset_d8, "cuMemsetD8_v2");
    from.find(made.memcpy_async, "cuMemcpyAsync");
    from.find(made.mem_get_address_range, "cuMemGetAddressRange_v2");
    from.find(made.ipc_get_mem_handle, "cuIpcGetMemHandle");
    from.find(made.ipc_open_mem_handle, "cuIpcOpenMemHandle_v2");
    from.find(made.ipc_close_mem_handle, "cuIpcCloseMemHandle");
    from.find(made.mem_retain_allocation_handle, "cuMemRetainAllocationHandle");
    from.find(made.mem_export_to_shareable_handle, "cuMemExportToShareableHandle");
    from.find(made.mem_import_from_shareable_handle, "cuMemImportFromShareableHandle");
    from.find(made.mem_get_allocation_granularity, "cuMemGetAllocationGranularity");
    from.find(made.mem_create, "cuMemCreate");
    from.find(made.mem_release, "cuMemRelease");
    from.find(made.mem_address_reserve, "cuMemAddressReserve");
    from.find(made.mem_address_free, "cuMemAddressFree");
    from.find(made.mem_map, "cuMemMap");
    from.find(made.mem_unmap, "cuMemUnmap");
    from.find(made.mem_set_access, "cuMemSetAccess");
    from.find(made.ctx_synchronize, "cuCtxSynchronize");
    from.find(made.stream_create, "cuStreamCreate");
    from.find(made.stream_destroy, "cuStreamDestroy_v2");
    from.find(made.stream_query, "cuStreamQuery");
    from.find(made.event_create, "cuEventCreate");
    from.find(made.event_destroy, "cuEventDestroy_v2");
    from.find(made.event_record, "cuEventRecord");
    from.find(made.event_query, "cuEventQuery");
    from.find(made.stream_write_value, "cuStreamWriteValue64_v2");
    from.find(made.stream_wait_value, "cuStreamWaitValue64_v2");
    return made;
  }();
  return found;
}

std::string words_of(CUresult code) {
  const char *name = nullptr, *words = nullptr;
  if (driver().get_error_name(code, &name) != CUDA_SUCCESS || driver().get_error_string(code, &words) != CUDA_SUCCESS)
    return fmt::format("code {} of a newer driver", static_cast<int>(code));
  return fmt::format("{} ({})", words, name);
}

CUdevice current_device() {
  CUdevice device = 0;
  check(driver().ctx_get_device(&device), Fault::usage, "cuCtxGetDevice");
  return device;
}

}  // namespace railgauge::cuda_ipc

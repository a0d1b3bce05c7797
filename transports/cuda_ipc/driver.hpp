// What is asked of NVIDIA's driver, which is looked up when the program runs: the plugin can be loaded where there is none.
#pragma once

#include <cuda.h>

#include <string>

#include "base/error.hpp"

namespace railgauge::cuda_ipc {

// All of them work on the context that is current in this thread, which the device of the run made.
struct Driver {
  std::string missing;  // why there is no driver that will do; empty where there is one
  decltype(&cuGetErrorName) get_error_name = nullptr;
  decltype(&cuGetErrorString) get_error_string = nullptr;
  decltype(&cuCtxGetDevice) ctx_get_device = nullptr;
  decltype(&cuDeviceGetCount) device_get_count = nullptr;
  decltype(&cuDeviceGetUuid) device_get_uuid = nullptr;
  decltype(&cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&cuDeviceCanAccessPeer) device_can_access_peer = nullptr;
  decltype(&cuMemAlloc) mem_alloc = nullptr;
  decltype(&cuMemFree) mem_free = nullptr;
  decltype(&cuMemsetD8) memset_d8 = nullptr;
  decltype(&cuMemcpyAsync) memcpy_async = nullptr;
  decltype(&cuMemGetAddressRange) mem_get_address_range = nullptr;
  decltype(&cuIpcGetMemHandle) ipc_get_mem_handle = nullptr;
  decltype(&cuIpcOpenMemHandle) ipc_open_mem_handle = nullptr;
  decltype(&cuIpcCloseMemHandle) ipc_close_mem_handle = nullptr;
  decltype(&cuMemRetainAllocationHandle) mem_retain_allocation_handle = nullptr;
  decltype(&cuMemExportToShareableHandle) mem_export_to_shareable_handle = nullptr;
  decltype(&cuMemImportFromShareableHandle) mem_import_from_shareable_handle = nullptr;
  decltype(&cuMemGetAllocationGranularity) mem_get_allocation_granularity = nullptr;
  decltype(&cuMemCreate) mem_create = nullptr;
  decltype(&cuMemRelease) mem_release = nullptr;
  decltype(&cuMemAddressReserve) mem_address_reserve = nullptr;
  decltype(&cuMemAddressFree) mem_address_free = nullptr;
  decltype(&cuMemMap) mem_map = nullptr;
  decltype(&cuMemUnmap) mem_unmap = nullptr;
  decltype(&cuMemSetAccess) mem_set_access = nullptr;
  decltype(&cuCtxSynchronize) ctx_synchronize = nullptr;
  decltype(&cuStreamCreate) stream_create = nullptr;
  decltype(&cuStreamDestroy) stream_destroy = nullptr;
  decltype(&cuStreamQuery) stream_query = nullptr;
  decltype(&cuEventCreate) event_create = nullptr;
  decltype(&cuEventDestroy) event_destroy = nullptr;
  decltype(&cuEventRecord) event_record = nullptr;
  decltype(&cuEventQuery) event_query = nullptr;
  decltype(&cuStreamWriteValue64) stream_write_value = nullptr;
  decltype(&cuStreamWaitValue64) stream_wait_value = nullptr;
};

// Loads the library the first time. Does not start it.
[[nodiscard]] const Driver& driver();

// "invalid argument (CUDA_ERROR_INVALID_VALUE)"
[[nodiscard]] std::string words_of(CUresult code);

// Throws Error(fault) "<call>: <words>" unless the code says that all is well.
inline void check(CUresult code, Fault fault, const std::string& call) {
  if (code != CUDA_SUCCESS) throw Error(fault, call + ": " + words_of(code));
}

// The GPU of this thread's context.
[[nodiscard]] CUdevice current_device();

}  // namespace railgauge::cuda_ipc

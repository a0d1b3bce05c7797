// The driver's functions that the transport over CUDA IPC looks up, on the context that is current in the thread.
#include <cuda.h>

#include <cstdint>

#include "tests/softgpu/calls/copies.hpp"
#include "tests/softgpu/calls/devices.hpp"
#include "tests/softgpu/calls/errors.hpp"
#include "tests/softgpu/calls/events.hpp"
#include "tests/softgpu/calls/mappings.hpp"
#include "tests/softgpu/calls/memory.hpp"
#include "tests/softgpu/calls/streams.hpp"

namespace {

// With a context, which the runtime's cudaSetDevice makes current.
template <class Body>
CUresult drive(Body body) {
  return softgpu::current().chosen ? static_cast<CUresult>(body()) : CUDA_ERROR_INVALID_CONTEXT;
}
void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }
CUresult told(cudaError_t code) { return static_cast<CUresult>(code); }

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult code, const char** text) {
  *text = softgpu::words_of(code).driver_name;
  return softgpu::words_of(code).code < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult code, const char** text) {
  *text = softgpu::words_of(code).text;
  return softgpu::words_of(code).code < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) { return told(softgpu::count_gpus(count)); }
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) { return told(softgpu::uuid_of(uuid, device)); }
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return told(softgpu::attribute_of(value, attribute, device));
}
CUresult cuDeviceCanAccessPeer(int* answer, CUdevice device, CUdevice peer) {
  return told(softgpu::can_reach(answer, device, peer));
}
CUresult cuCtxGetDevice(CUdevice* device) {
  return drive([&] { return softgpu::current_gpu(device); });
}
CUresult cuCtxSynchronize() {
  return drive([] { return softgpu::await_gpu(); });
}

CUresult cuMemAlloc_v2(CUdeviceptr* made, std::size_t bytes) {
  if (made == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  void* address = nullptr;
  const CUresult code = drive([&] { return softgpu::allocate(&address, bytes); });
  *made = reinterpret_cast<std::uintptr_t>(address);
  return code;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  return drive([&] { return softgpu::free_device(pointer(address)); });
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  return drive([&] { return softgpu::fill(pointer(to), value, bytes); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return drive([&] { return softgpu::copy_in_stream(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream); });
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  std::uintptr_t begin = 0;
  const CUresult code = drive([&] { return softgpu::range_of(&begin, bytes, address); });
  if (base != nullptr) *base = begin;
  return code;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return drive([&] { return softgpu::show_to_others(handle, address); });
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* made, CUipcMemHandle handle, unsigned flags) {
  if (made == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) return CUDA_ERROR_INVALID_VALUE;
  std::uintptr_t address = 0;
  const CUresult code = drive([&] { return softgpu::open_of_others(&address, handle); });
  *made = address;
  return code;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return drive([&] { return softgpu::close_of_others(address); });
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  *bytes = softgpu::mapping_granularity;
  return CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* made, std::size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long) {
  return drive([&] { return softgpu::create_physical(made, bytes, *properties); });
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* made, void* address) {
  return drive([&] { return softgpu::retain_physical(made, address); });
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return drive([&] { return softgpu::release_physical(handle); });
}
CUresult cuMemExportToShareableHandle(void* made, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long) {
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  return drive([&] { return softgpu::export_physical(static_cast<int*>(made), handle); });
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* made, void* handle, CUmemAllocationHandleType type) {
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  return drive([&] { return softgpu::import_physical(made, static_cast<int>(reinterpret_cast<std::intptr_t>(handle))); });
}
CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr address, std::size_t bytes, CUmemRangeHandleType type,
                                       unsigned long long) {
  if (type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD) return CUDA_ERROR_NOT_SUPPORTED;
  return drive([&] { return softgpu::export_range(static_cast<int*>(handle), address, bytes); });
}
CUresult cuPointerSetAttribute(const void*, CUpointer_attribute attribute, CUdeviceptr address) {
  if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return CUDA_ERROR_NOT_SUPPORTED;
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  return drive([&] { return softgpu::range_of(&base, &bytes, address); });
}
CUresult cuMemAddressReserve(CUdeviceptr* made, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long) {
  std::uintptr_t address = 0;
  const CUresult code = drive([&] { return softgpu::reserve_addresses(&address, bytes); });
  *made = address;
  return code;
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return drive([&] { return softgpu::free_addresses(address, bytes); });
}
CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
  if (offset != 0) return CUDA_ERROR_INVALID_VALUE;
  return drive([&] { return softgpu::map_physical(address, bytes, handle); });
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return drive([&] { return softgpu::unmap_physical(address, bytes); });
}
CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
  return drive([&] { return softgpu::allow(address, bytes, access, count); });
}

CUresult cuStreamCreate(CUstream* made, unsigned flags) {
  return drive([&] { return softgpu::create_stream(made, (flags & CU_STREAM_NON_BLOCKING) != 0); });
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  return drive([&] { return softgpu::destroy_stream(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return drive([&] { return softgpu::query_stream(stream); });
}
CUresult cuEventCreate(CUevent* made, unsigned flags) {
  return drive([&] { return softgpu::create_event(made, (flags & CU_EVENT_DISABLE_TIMING) == 0); });
}
CUresult cuEventDestroy_v2(CUevent event) {
  return drive([&] { return softgpu::destroy_event(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return drive([&] { return softgpu::record_event(event, stream); });
}
CUresult cuEventQuery(CUevent event) {
  return drive([&] { return softgpu::query_event(event); });
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return drive([&] { return softgpu::wait_value(stream, address, value, sizeof value, flags); });
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return drive([&] { return softgpu::write_value(stream, address, value, sizeof value, flags); });
}

}  // extern "C"

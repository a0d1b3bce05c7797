// Exports, allocates and opens memory through the driver.
#include "transports/cuda_ipc/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "transports/cuda_ipc/driver.hpp"

namespace railgauge::cuda_ipc {
namespace {

constexpr const char* no_fabric =
    "fabric handles need GPUs of one NVLink domain, and NVIDIA's IMEX service with a channel in /dev/nvidia-caps-imex-channels "
    "that "
    "this user may open: on one host use --set cuda_ipc.handles=legacy";

CUdeviceptr pointer(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); }

CUmemAllocationHandleType type_of(HandleKind kind) {
  return kind == HandleKind::fabric ? CU_MEM_HANDLE_TYPE_FABRIC : CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
}

// The driver says "not permitted" where there is no IMEX channel.
[[noreturn]] void refuse(CUresult code, HandleKind kind, const std::string& call) {
  throw Error(Fault::usage, fmt::format("{}: {}{}{}", call, words_of(code), kind == HandleKind::fabric ? "; " : "",
                                        kind == HandleKind::fabric ? no_fabric : ""));
}

// A handle of the driver, given back at the end of its scope: what is mapped stays.
class Generic {
 public:
  explicit Generic(CUmemGenericAllocationHandle handle) : handle_(handle) {}
  ~Generic() { driver().mem_release(handle_); }
  Generic(const Generic&) = delete;
  Generic& operator=(const Generic&) = delete;
  [[nodiscard]] CUmemGenericAllocationHandle get() const { return handle_; }

 private:
  CUmemGenericAllocationHandle handle_;
};

// Readable and writable for the current GPU, at addresses of its own.
CUdeviceptr map(const Generic& memory, std::size_t bytes, const std::string& what) {
  CUdeviceptr address = 0;
  check(driver().mem_address_reserve(&address, bytes, 0, 0, 0), Fault::usage, "cuMemAddressReserve for " + what);
  if (const CUresult code = driver().mem_map(address, bytes, 0, memory.get(), 0); code != CUDA_SUCCESS) {
    driver().mem_address_free(address, bytes);
    check(code, Fault::usage, "cuMemMap of " + what);
  }
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = current_device();
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if (const CUresult code = driver().mem_set_access(address, bytes, &access, 1); code != CUDA_SUCCESS) {
    driver().mem_unmap(address, bytes);
    driver().mem_address_free(address, bytes);
    check(code, Fault::usage, "cuMemSetAccess to " + what);
  }
  return address;
}

// Whether a network card can be given memory of cuMemCreate on this GPU, if it was asked for. Older drivers do not know the
// question.
bool can_be_registered() {
  int supported = 0;
  return driver().device_get_attribute(&supported, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                                       current_device()) == CUDA_SUCCESS &&
         supported != 0;
}

void unmap(CUdeviceptr address, std::size_t bytes) noexcept {
  driver().mem_unmap(address, bytes);
  driver().mem_address_free(address, bytes);
}

}  // namespace

void expect_fabric(const std::string& owner) {
  int supported = 0;
  check(driver().device_get_attribute(&supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, current_device()),
        Fault::usage, "cuDeviceGetAttribute of " + owner);
  if (supported == 0)
    throw Error(Fault::usage,
                fmt::format("--set cuda_ipc.handles=fabric: the GPU of {} has no fabric handles; {}", owner, no_fabric));
}

Shared::Shared(std::byte* address, std::size_t bytes, HandleKind kind, const std::string& owner) {
  const std::string what = fmt::format("{} bytes of {}", bytes, owner);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  check(driver().mem_get_address_range(&base, &size, pointer(address)), Fault::usage, "cuMemGetAddressRange of " + what);
  handle_.kind = kind;
  handle_.offset = pointer(address) - base;
  handle_.bytes = bytes;
  handle_.allocation_bytes = size;
  if (kind == HandleKind::legacy) {
    CUipcMemHandle token;
    check(driver().ipc_get_mem_handle(&token, base), Fault::usage, "cuIpcGetMemHandle of " + what);
    std::memcpy(handle_.token.data(), &token, sizeof token);
    return;
  }
  CUmemGenericAllocationHandle retained = 0;
  check(driver().mem_retain_allocation_handle(&retained, address), Fault::usage, "cuMemRetainAllocationHandle of " + what);
  const Generic memory(retained);
  CUmemFabricHandle token{};
  void* const result = kind == HandleKind::fabric ? static_cast<void*>(&token) : &handle_.fd;
  const CUresult code = driver().mem_export_to_shareable_handle(result, memory.get(), type_of(kind), 0);
  if (code != CUDA_SUCCESS) refuse(code, kind, "cuMemExportToShareableHandle of " + what);
  if (kind == HandleKind::fabric) std::memcpy(handle_.token.data(), &token, sizeof token);
}

Shared::~Shared() {
  if (handle_.fd >= 0) close(handle_.fd);
}
Shared::Shared(Shared&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
Shared& Shared::operator=(Shared&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Allocation::Allocation(std::size_t bytes, HandleKind kind, const std::string& owner) : bytes_(bytes) {
  const std::string what = fmt::format("{} bytes on {}", bytes, owner);
  if (kind == HandleKind::legacy) {
    check(driver().mem_alloc(&address_, bytes), Fault::usage, "cuMemAlloc of " + what);
  } else {
    if (kind == HandleKind::fabric) expect_fabric(owner);
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = current_device();
    properties.requestedHandleTypes = type_of(kind);
    properties.allocFlags.gpuDirectRDMACapable = can_be_registered() ? 1 : 0;
    std::size_t granularity = 0;
    check(driver().mem_get_allocation_granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), Fault::usage,
          "cuMemGetAllocationGranularity on " + owner);
    const std::size_t rounded = (bytes + granularity - 1) / granularity * granularity;
    CUmemGenericAllocationHandle created = 0;
    if (const CUresult code = driver().mem_create(&created, rounded, &properties, 0); code != CUDA_SUCCESS)
      refuse(code, kind, "cuMemCreate of " + what);
    address_ = map(Generic(created), rounded, what);
    reserved_ = rounded;
  }
  CUresult code = driver().memset_d8(address_, 0, bytes);
  if (code == CUDA_SUCCESS) code = driver().ctx_synchronize();
  if (code == CUDA_SUCCESS) return;
  const Allocation ended = std::move(*this);
  check(code, Fault::usage, "cuMemsetD8 of " + what);
}

Allocation::~Allocation() {
  if (address_ == 0) return;
  if (reserved_ != 0)
    unmap(address_, reserved_);
  else
    driver().mem_free(address_);
}
Allocation::Allocation(Allocation&& other) noexcept
    : address_(std::exchange(other.address_, 0)), bytes_(other.bytes_), reserved_(other.reserved_) {}
Allocation& Allocation::operator=(Allocation&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  std::swap(reserved_, other.reserved_);
  return *this;
}

Window::Window(const Handle& handle, const Parties& parties) : offset_(handle.offset) {
  const std::string what = fmt::format("{} bytes of {} by {}", handle.bytes, parties.owner, parties.opener);
  if (handle.kind == HandleKind::legacy) {
    CUipcMemHandle token;
    std::memcpy(&token, handle.token.data(), sizeof token);
    check(driver().ipc_open_mem_handle(&base_, token, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), Fault::usage,
          "cuIpcOpenMemHandle of " + what);
    return;
  }
  CUmemGenericAllocationHandle imported = 0;
  CUresult code = CUDA_SUCCESS;
  if (handle.kind == HandleKind::fabric) {
    CUmemFabricHandle token;
    std::memcpy(&token, handle.token.data(), sizeof token);
    code = driver().mem_import_from_shareable_handle(&imported, &token, CU_MEM_HANDLE_TYPE_FABRIC);
  } else {
    code = driver().mem_import_from_shareable_handle(&imported, reinterpret_cast<void*>(static_cast<std::intptr_t>(handle.fd)),
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  }
  if (code != CUDA_SUCCESS) refuse(code, handle.kind, "cuMemImportFromShareableHandle of " + what);
  base_ = map(Generic(imported), handle.allocation_bytes, what);
  reserved_ = handle.allocation_bytes;
}

Window::~Window() {
  if (base_ == 0) return;
  if (reserved_ != 0)
    unmap(base_, reserved_);
  else
    driver().ipc_close_mem_handle(base_);
}
Window::Window(Window&& other) noexcept
    : base_(std::exchange(other.base_, 0)), offset_(other.offset_), reserved_(other.reserved_) {}
Window& Window::operator=(Window&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(offset_, other.offset_);
  std::swap(reserved_, other.reserved_);
  return *this;
}

}  // namespace railgauge::cuda_ipc

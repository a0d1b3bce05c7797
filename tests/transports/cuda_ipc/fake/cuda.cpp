// A libcuda.so.1 for machines without a GPU: the functions that the cuda_ipc transport calls, as cuda.h declares them. GPUs are
// the two of the fake device, their memory is shared memory, and streams are LateStreams: those of the device go on when they are
// asked, those that are made here later. FAKE_CUDA in the environment is a fault: "no_peer" (GPUs do not reach each
// other), "refused" (no handle can be opened), "no_waits" (streams cannot wait for memory), "no_fabric" (the GPU has no fabric
// handles), "no_imex" (it has, but may not), "stuck" (what waits is not released by what this process writes, and memory is not
// freed as long as something waits), "bad_copy" (an event finds that a copy has failed).
#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "tests/plan/late_stream.hpp"
#include "tests/transports/cuda_ipc/fake/memory.hpp"

namespace {

using namespace fake_cuda;
using railgauge::test::LateStream;

bool fault(std::string_view name) {
  const char* const chosen = std::getenv("FAKE_CUDA");
  return chosen != nullptr && name == chosen;
}

LateStream& stream_of(CUstream stream) { return *reinterpret_cast<LateStream*>(stream); }

// A stream that was made here: it does what was there at the question before the last one, so that an answer comes late.
struct Made {
  LateStream stream;
  std::uint64_t done = 0, allowed = 0;
};
// Those, by what they are given out as, and those of the device that something was put into.
std::map<LateStream*, std::unique_ptr<Made>> made;
std::set<LateStream*> lent;

// readable() of what was copied, forgotten whenever memory is shown: the same address may then be other memory.
std::map<std::byte*, std::byte*> known;
std::byte* reach(std::byte* address, std::size_t) {
  const auto [found, is_new] = known.emplace(address, nullptr);
  if (is_new) found->second = readable(address);
  return found->second;
}

void go_on() {
  for (auto& [handle, each] : made) {
    while (each->done < each->allowed && each->stream.step()) ++each->done;
    each->allowed = each->stream.mark();
  }
}
bool is_over(LateStream& stream, std::uint64_t mark) {
  go_on();
  const auto found = made.find(&stream);
  return found != made.end() ? found->second->done >= mark : stream.reached(mark);
}
// As a driver does before it frees or closes memory; what waits too long is told of.
void wait_for_all() {
  if (!fault("stuck")) return;
  constexpr unsigned long_ago = 1000;
  for (LateStream* const stream : lent)
    for (unsigned turn = 1; !stream->reached(stream->mark()); ++turn) {
      if (turn == long_ago) std::fputs("the driver waits for a stream before it frees memory\n", stderr);
      usleep(100);
    }
}

// What was recorded: that a stream has come to here.
struct Mark {
  LateStream* stream = nullptr;
  std::uint64_t mark = 0;
};

std::byte* place(LateStream& stream, CUdeviceptr address, std::size_t bytes) {
  return stream.reach(reinterpret_cast<std::byte*>(address), bytes);
}
CUresult push(CUstream given, std::function<bool()> task) {
  LateStream& stream = stream_of(given);
  if (!made.contains(&stream)) lent.insert(&stream);
  stream.push(std::move(task));
  return CUDA_SUCCESS;
}
std::atomic_ref<std::uint64_t> word(LateStream& stream, CUdeviceptr address) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place(stream, address, sizeof(std::uint64_t))));
}

// Descriptors and sizes of what this library mapped, by its address.
struct Mapped {
  int fd = -1;
  std::size_t bytes = 0;
};
std::mutex mutex;
std::map<CUdeviceptr, Mapped> mapped;

CUresult add(int fd, std::size_t bytes, CUdeviceptr at, CUdeviceptr& address) {
  address = map(fd, bytes, at);
  if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::scoped_lock lock(mutex);
  mapped[address] = {fd, bytes};
  return CUDA_SUCCESS;
}
CUresult remove(CUdeviceptr address) {
  wait_for_all();
  const std::scoped_lock lock(mutex);
  const auto found = mapped.find(address);
  if (found == mapped.end()) return CUDA_ERROR_INVALID_VALUE;
  munmap(reinterpret_cast<void*>(address), found->second.bytes);
  close(found->second.fd);
  mapped.erase(found);
  return CUDA_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = code == CUDA_ERROR_NOT_PERMITTED    ? "CUDA_ERROR_NOT_PERMITTED"
          : code == CUDA_ERROR_INVALID_DEVICE ? "CUDA_ERROR_INVALID_DEVICE"
                                              : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** words) {
  *words = "fake error";
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  const char* const number = std::getenv("FAKE_GPU");
  if (number == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = std::atoi(number);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 2;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  *uuid = {};
  uuid->bytes[0] = static_cast<char>(device + 1);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED ? !fault("no_fabric") : !fault("no_waits");
  return CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int* reaches, CUdevice, CUdevice) {
  *reaches = fault("no_peer") ? 0 : 1;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  const int fd = make(bytes, false);
  return fd < 0 ? CUDA_ERROR_OUT_OF_MEMORY : add(fd, bytes, 0, *address);
}
CUresult cuMemFree(CUdeviceptr address) { return remove(address); }
CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  known.clear();
  const auto found = find(address);
  if (!found) return CUDA_ERROR_INVALID_VALUE;
  *base = found->base;
  *bytes = found->bytes;
  return CUDA_SUCCESS;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  const auto found = find(address);
  if (!found || !found->legacy) return CUDA_ERROR_INVALID_VALUE;
  const Token token{getpid(), found->fd, found->bytes};
  std::memcpy(handle, &token, sizeof token);
  return CUDA_SUCCESS;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle, unsigned int) {
  if (fault("refused")) return CUDA_ERROR_INVALID_DEVICE;
  Token token;
  std::memcpy(static_cast<void*>(&token), &handle, sizeof token);
  if (token.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
  const int fd = open(token);
  return fd < 0 ? CUDA_ERROR_INVALID_VALUE : add(fd, token.bytes, 0, *address);
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) { return remove(address); }

// A generic handle is a descriptor.
CUresult cuMemGetAllocationGranularity(std::size_t* granularity, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  *granularity = 65536;
  return CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long) {
  if (properties->requestedHandleTypes == CU_MEM_HANDLE_TYPE_FABRIC && fault("no_imex")) return CUDA_ERROR_NOT_PERMITTED;
  const int fd = make(bytes, true);
  if (fd < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = static_cast<CUmemGenericAllocationHandle>(fd);
  return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  close(static_cast<int>(handle));
  return CUDA_SUCCESS;
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  const auto found = find(reinterpret_cast<CUdeviceptr>(address));
  if (!found || !found->shared) return CUDA_ERROR_INVALID_VALUE;
  *handle = static_cast<CUmemGenericAllocationHandle>(dup(found->fd));
  return CUDA_SUCCESS;
}
CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long) {
  const int fd = dup(static_cast<int>(handle));  // of a fabric handle it stays open as long as the process
  if (type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    std::memcpy(shareable, &fd, sizeof fd);
    return CUDA_SUCCESS;
  }
  const Token token{getpid(), fd, 0};
  std::memcpy(shareable, &token, sizeof token);
  return CUDA_SUCCESS;
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable, CUmemAllocationHandleType type) {
  if (fault("refused")) return CUDA_ERROR_INVALID_DEVICE;
  int fd = -1;
  if (type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    fd = dup(static_cast<int>(reinterpret_cast<std::intptr_t>(shareable)));
  } else {
    Token token;
    std::memcpy(&token, shareable, sizeof token);
    fd = open(token);
  }
  *handle = static_cast<CUmemGenericAllocationHandle>(fd);
  return fd < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long) {
  void* const reserved = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = reinterpret_cast<CUdeviceptr>(reserved);
  return reserved == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  munmap(reinterpret_cast<void*>(address), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t, CUmemGenericAllocationHandle handle, unsigned long long) {
  CUdeviceptr there = 0;
  return add(dup(static_cast<int>(handle)), bytes, address, there);
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t) { return remove(address); }
CUresult cuMemSetAccess(CUdeviceptr, std::size_t, const CUmemAccessDesc* access, std::size_t) {
  CUdevice mine = -1;
  (void)cuCtxGetDevice(&mine);
  return access->location.id == mine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  auto owned = std::make_unique<Made>();
  owned->stream.reach = reach;
  LateStream* const handle = &owned->stream;
  made.emplace(handle, std::move(owned));
  *stream = reinterpret_cast<CUstream>(handle);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  while (stream_of(stream).step()) continue;
  made.erase(&stream_of(stream));
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream given) {
  LateStream& stream = stream_of(given);
  return is_over(stream, stream.mark()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuEventCreate(CUevent* event, unsigned int) {
  *event = reinterpret_cast<CUevent>(new Mark);
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
  delete reinterpret_cast<Mark*>(event);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  *reinterpret_cast<Mark*>(event) = {&stream_of(stream), stream_of(stream).mark()};
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
  const Mark& mark = *reinterpret_cast<Mark*>(event);
  if (fault("bad_copy")) return CUDA_ERROR_UNKNOWN;
  return mark.stream == nullptr || is_over(*mark.stream, mark.mark) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int) {
  return push(stream, [&where = stream_of(stream), address, value] {
    constexpr std::uint64_t release = std::uint64_t{1} << 62;
    if (value < release || !fault("stuck")) word(where, address).store(value, std::memory_order_release);
    return true;
  });
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags) {
  if (flags != CU_STREAM_WAIT_VALUE_GEQ) return CUDA_ERROR_INVALID_VALUE;
  return push(stream, [&where = stream_of(stream), address, value] {
    return static_cast<std::int64_t>(word(where, address).load(std::memory_order_acquire) - value) >= 0;
  });
}
CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return push(stream, [&where = stream_of(stream), target, source, bytes] {
    std::memcpy(place(where, target, bytes), place(where, source, bytes), bytes);
    return true;
  });
}

}  // extern "C"
#pragma GCC visibility pop

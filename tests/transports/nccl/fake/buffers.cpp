// What NCCL has for buffers since 2.19 and 2.27: a library of the tests without this file is an older one. Memory is the fake
// device's. FAKE_NCCL=no_window: no window can be made; windows_hang: nor is it known that there can be none.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>

#include "tests/device/fake/hidden.hpp"
#include "tests/transports/nccl/fake/communicator.hpp"

namespace {

using fake_nccl::Half;
using fake_nccl::refuse;

const railgauge::test::HiddenTable* device_memory() {
  const char* const address = std::getenv("FAKE_DEVICE_MEMORY");
  return address != nullptr ? reinterpret_cast<const railgauge::test::HiddenTable*>(std::strtoull(address, nullptr, 10))
                            : nullptr;
}

ncclResult_t know(fake_nccl::State& state, void* address, std::size_t bytes, void** handle) {
  if (!state.known.emplace(static_cast<std::byte*>(address), bytes).second)
    return refuse(ncclInvalidUsage, "the fake knows this memory already");
  *handle = address;
  return ncclSuccess;
}
ncclResult_t forget(fake_nccl::State& state, void* handle) {
  return state.known.erase(static_cast<std::byte*>(handle)) == 1 ? ncclSuccess : ncclInvalidArgument;
}

// Whether all ranks came with the same number; waits for them.
bool all_have(fake_nccl::State& state, std::uint64_t number) {
  const int ranks = state.mesh->size(), me = state.mesh->rank();
  bool same = true;
  for (int other = 0; other < ranks; ++other) {
    if (other == me) continue;
    std::uint64_t mine = number, theirs = 0;
    Half out{.bytes = reinterpret_cast<std::byte*>(&mine), .size = sizeof mine};
    Half in{.bytes = reinterpret_cast<std::byte*>(&theirs), .size = sizeof theirs};
    for (bool sent = false, come = false; !(sent && come);) {
      sent = sent || state.mesh->send(other, out);
      come = come || state.mesh->receive(other, in);
    }
    same = same && theirs == number;
  }
  return same;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ncclResult_t ncclCommRegister(ncclComm_t communicator, void* address, size_t bytes, void** handle) {
  return know(*communicator->state, address, bytes, handle);
}
ncclResult_t ncclCommDeregister(ncclComm_t communicator, void* handle) { return forget(*communicator->state, handle); }

ncclResult_t ncclMemAlloc(void** address, size_t bytes) {
  const railgauge::test::HiddenTable* const memory = device_memory();
  if (memory == nullptr) return refuse(ncclUnhandledCudaError, "no GPU");
  *address = memory->add(bytes);
  return ncclSuccess;
}
ncclResult_t ncclMemFree(void* address) {
  device_memory()->remove(static_cast<std::byte*>(address));
  return ncclSuccess;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t communicator, void* address, size_t bytes, ncclWindow_t* window, int flags) {
  const auto state = communicator->state;
  *window = nullptr;
  if (flags != NCCL_WIN_COLL_SYMMETRIC) return refuse(ncclInvalidArgument, "the fake knows symmetric windows");
  if (reinterpret_cast<std::uintptr_t>(address) % NCCL_WIN_REQUIRED_ALIGNMENT != 0)
    return refuse(ncclInvalidArgument, "a window starts a page");
  if (fake_nccl::fault("no_window")) return ncclSuccess;
  while (fake_nccl::fault("windows_hang")) {
    if (state->aborted) return refuse(ncclInternalError, "aborted");
    usleep(1000);
  }
  try {
    if (!all_have(*state, bytes)) return refuse(ncclInvalidArgument, "windows of different sizes");
  } catch (const std::exception& error) { return refuse(ncclRemoteError, error.what()); }
  void* handle = nullptr;
  const ncclResult_t code = know(*state, address, bytes, &handle);
  *window = static_cast<ncclWindow_t>(handle);
  return code;
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t communicator, ncclWindow_t window) {
  return forget(*communicator->state, window);
}

}  // extern "C"
#pragma GCC visibility pop

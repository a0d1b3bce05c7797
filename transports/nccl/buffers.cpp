// Calls what NCCL has for it.
#include "transports/nccl/buffers.hpp"

#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "base/units.hpp"
#include "transports/nccl/call.hpp"
#include "transports/nccl/newer.hpp"

namespace railgauge::nccl {
namespace {

constexpr int symmetric_window = 1;  // NCCL_WIN_COLL_SYMMETRIC, which headers before 2.27 do not have

[[noreturn]] void too_old(const char* value, const char* function, const char* since) {
  int version = 0;
  (void)ncclGetVersion(&version);
  throw Error(Fault::usage, fmt::format("--set nccl.buffers={}: NCCL {} has no {}, which came with {}", value,
                                        version_text(version), function, since));
}

void free_memory(const Region& region) noexcept { newer().memory_free(region.address); }

}  // namespace

void expect_known(Buffers buffers) {
  if (buffers == Buffers::plain) return;
  const bool registers = newer().comm_register != nullptr && newer().comm_deregister != nullptr &&
                         newer().memory_allocate != nullptr && newer().memory_free != nullptr;
  if (buffers == Buffers::registered && !registers) too_old("registered", "ncclCommRegister", "2.19");
  const bool windows = registers && newer().window_register != nullptr && newer().window_deregister != nullptr;
  if (buffers == Buffers::symmetric && !windows) too_old("symmetric", "ncclCommWindowRegister", "2.27");
}

Allocated allocate(std::size_t bytes, int rank) {
  void* address = nullptr;
  check(newer().memory_allocate(&address, bytes), Fault::usage,
        fmt::format("ncclMemAlloc of {} on rank {}", format_bytes(bytes), rank));
  return {{.address = static_cast<std::byte*>(address), .bytes = bytes, .kind = MemoryKind::cuda}, free_memory};
}

Registrations::~Registrations() {
  if (communicator_.broken()) return;  // it is gone, or will be at once, and kernels may still use the memory
  for (void* const handle : handles_) {
    if (buffers_ == Buffers::symmetric)
      newer().window_deregister(communicator_.handle(), handle);
    else
      newer().comm_deregister(communicator_.handle(), handle);
  }
}

void Registrations::add(const Region& region) {
  if (buffers_ == Buffers::plain) return;
  void* handle = nullptr;
  if (buffers_ == Buffers::registered) {
    check(newer().comm_register(communicator_.handle(), region.address, region.bytes, &handle), Fault::usage,
          fmt::format("ncclCommRegister of {} on rank {}", format_bytes(region.bytes), communicator_.rank()),
          communicator_.handle());
    handles_.push_back(handle);
    return;
  }
  if (region.kind != MemoryKind::cuda)
    throw Error(Fault::usage, "--set nccl.buffers=symmetric: windows are of memory of GPUs alone: use --memory cuda");
  communicator_.begin_call();
  const ncclResult_t code =
      newer().window_register(communicator_.handle(), region.address, region.bytes, &handle, symmetric_window);
  if (code != ncclSuccess) communicator_.failed(code, fmt::format("ncclCommWindowRegister of {}", format_bytes(region.bytes)));
  communicator_.end_call();
  if (handle == nullptr)  // NCCL says so that these GPUs cannot
    throw Error(
        Fault::usage,
        fmt::format("--set nccl.buffers=symmetric: ncclCommWindowRegister gave rank {} no window, as where GPUs do not reach "
                    "each other's memory, or NCCL_CUMEM_ENABLE is 0 (NCCL_DEBUG=INFO may say why)",
                    communicator_.rank()));
  handles_.push_back(handle);
}

}  // namespace railgauge::nccl

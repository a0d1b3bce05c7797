// Memory of GPUs that several processes map, and what one tells another so that it can.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace railgauge::cuda_ipc {

enum class HandleKind : std::uint32_t {
  legacy,  // cuIpcGetMemHandle: memory of cudaMalloc, on one host
  fd,      // a file descriptor of memory of cuMemCreate, on one host
  fabric,  // a fabric handle of memory of cuMemCreate, also between the hosts of one NVLink domain
};

// What is told. Plain data; `bytes` at `offset` within the allocation.
struct Handle {
  HandleKind kind = HandleKind::legacy;
  std::int32_t fd = -1;          // kind fd: of the process that shares the memory, or opens it
  std::uint32_t device = 0;      // as the owner's process numbers them
  std::array<char, 64> token{};  // kinds legacy and fabric
  std::uint64_t offset = 0, bytes = 0, allocation_bytes = 0;
};
static_assert(CU_IPC_HANDLE_SIZE == 64 && sizeof(CUmemFabricHandle) == 64);

// Whose memory it is, for sentences: "rank 1 (GPU-7a...)".
struct Parties {
  std::string owner, opener;
};

// A handle of memory of this process, which must stay what it is while the handle is used.
class Shared {
 public:
  Shared() = default;
  // Memory from `address` on. Throws Error(usage) with the call, and with what to do where the memory is of another kind.
  Shared(std::byte* address, std::size_t bytes, HandleKind kind, const std::string& owner);
  ~Shared();
  Shared(Shared&& other) noexcept;
  Shared& operator=(Shared&& other) noexcept;
  [[nodiscard]] const Handle& handle() const { return handle_; }

 private:
  Handle handle_;
};

// Memory of the current GPU that can be shared by handles of the kind, zeroed.
class Allocation {
 public:
  Allocation() = default;
  // Throws Error(usage) with the call; of fabric handles a sentence that says what the machine lacks.
  Allocation(std::size_t bytes, HandleKind kind, const std::string& owner);
  ~Allocation();
  Allocation(Allocation&& other) noexcept;
  Allocation& operator=(Allocation&& other) noexcept;
  [[nodiscard]] std::byte* address() const { return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address_)); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // That lie at these addresses: whole pages of cuMemCreate.
  [[nodiscard]] std::size_t mapped_bytes() const { return reserved_ != 0 ? reserved_ : bytes_; }
  // Leaves it to the end of the process: freeing it would wait for what never ends.
  void leave() noexcept { address_ = 0; }

 private:
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0, reserved_ = 0;  // reserved: of cuMemCreate; 0: of cuMemAlloc
};

// Another process' memory in this one.
class Window {
 public:
  Window() = default;
  // Throws Error(usage) that names both ranks, their GPUs and the call. A descriptor is one of this process, and stays the
  // caller's.
  Window(const Handle& handle, const Parties& parties);
  ~Window();
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;
  [[nodiscard]] std::byte* address() const { return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(base_ + offset_)); }
  // Leaves it open until the process ends.
  void leave() noexcept { base_ = 0; }

 private:
  CUdeviceptr base_ = 0;
  std::uint64_t offset_ = 0;
  std::size_t reserved_ = 0;  // of what cuMemMap mapped; 0: opened by cuIpcOpenMemHandle
};

// Throws Error(usage) unless the current GPU can share memory by fabric handles.
void expect_fabric(const std::string& owner);

}  // namespace railgauge::cuda_ipc

// Shared memory between processes: a segment has no name, only descriptors, so it vanishes with the last process that has it,
// however that ended.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace railgauge::shm {

// What one process tells another, so that it can open memory of it.
struct Handle {
  std::int64_t process = 0;  // as the owner sees itself
  std::int64_t fd = -1;      // in the owner
  std::uint64_t device = 0, inode = 0;
  std::uint64_t offset = 0, bytes = 0;  // within the file

  [[nodiscard]] bool any() const { return fd >= 0; }
};

// A shared mapping of memory, readable and writable; unmapped with the object.
class Window {
 public:
  Window() = default;
  // Memory of this process: anonymous, zeroed, `bytes` of it. Throws Error(usage) with the call.
  explicit Window(std::size_t bytes);
  // Memory of another process (or of this one). Throws Error(usage) that names both ranks when it cannot be opened: ranks must be
  // of one user and see each other in /proc.
  Window(const Handle& handle, int owner, int rank);
  ~Window();
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;

  [[nodiscard]] std::byte* address() const { return address_; }
  [[nodiscard]] Handle handle() const;  // of memory of this process, valid while the object lives

 private:
  void map(int fd, std::uint64_t offset, std::size_t bytes);
  void release() noexcept;

  void* start_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
  int fd_ = -1;  // owned; -1 for memory of others
};

// The handle of memory that `fd` names, from `offset` on.
[[nodiscard]] Handle describe(int fd, std::uint64_t offset, std::size_t bytes);

}  // namespace railgauge::shm

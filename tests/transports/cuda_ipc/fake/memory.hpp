// The memory of the fake driver: shared memory of the host, each allocation a memfd.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <optional>

namespace fake_cuda {

// An allocation of this process that its descriptor names, as the kernel knows it.
struct Found {
  int fd = -1;
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  bool legacy = false, shared = false;  // what it was made for: legacy handles; descriptors and fabric handles
};
// Of the fake device's plugin, or of this library.
[[nodiscard]] std::optional<Found> find(CUdeviceptr address);
// Where the host can read and write memory that it must not touch at this address.
[[nodiscard]] std::byte* readable(std::byte* address);

// A new memfd; -1 when there is none.
[[nodiscard]] int make(std::size_t bytes, bool shared);
// At any address, or, where `at` is not 0, there.
[[nodiscard]] CUdeviceptr map(int fd, std::size_t bytes, CUdeviceptr at);

// How another process finds it: the 64 bytes of a handle.
struct Token {
  int process = 0, fd = -1;
  std::size_t bytes = 0;
};
// A descriptor of this process; -1 when the owner is gone.
[[nodiscard]] int open(const Token& token);

}  // namespace fake_cuda

// Memory as NCCL wants it: given out by the library, and made known to a communicator.
#pragma once

#include <cstddef>
#include <vector>

#include "transports/allocator.hpp"
#include "transports/nccl/communicator.hpp"
#include "transports/nccl/settings.hpp"

namespace railgauge::nccl {

// Throws Error(usage) where the library is too old for what is asked for.
void expect_known(Buffers buffers);

// By ncclMemAlloc, on the GPU that is current in this thread: memory of cudaMalloc can be no window, and is copied by some of the
// paths that registered memory has. Throws Error(usage) that names the call and the rank.
[[nodiscard]] Allocated allocate(std::size_t bytes, int rank);

// What one communicator knows of regions. Ends before it.
class Registrations {
 public:
  // The library knows them (expect_known).
  Registrations(Communicator& communicator, Buffers buffers) : communicator_(communicator), buffers_(buffers) {}
  ~Registrations();
  Registrations(const Registrations&) = delete;
  Registrations& operator=(const Registrations&) = delete;

  // Windows: collective, with the communicator's deadline. Throws Error(usage) where NCCL refuses, and where there can be no
  // window; Error(lost) where a rank does not come.
  void add(const Region& region);

 private:
  Communicator& communicator_;
  Buffers buffers_;
  std::vector<void*> handles_;  // of registered regions, or windows
};

}  // namespace railgauge::nccl

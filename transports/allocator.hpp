// Memory that a transport's library allocates itself, because it reaches this memory by paths that no other memory has.
#pragma once

#include <cstddef>

#include "transports/transport.hpp"

namespace railgauge {

struct Allocated {
  Region region;
  void (*release)(const Region& region) noexcept = nullptr;  // frees it; valid also after the endpoint ends
};

// An Endpoint with such memory also derives from this class. It, and not a Device, allocates regions of the kinds for which
// allocates() is true.
class Allocator {
 public:
  virtual ~Allocator() = default;
  [[nodiscard]] virtual bool allocates(MemoryKind kind) const = 0;
  // Collective: every rank gets the largest size that any rank asks for. The memory is page-aligned, not zeroed and not
  // attached; the caller releases it. Throws Error(usage) that names the call and the size.
  [[nodiscard]] virtual Allocated allocate(std::size_t bytes) = 0;
};

}  // namespace railgauge

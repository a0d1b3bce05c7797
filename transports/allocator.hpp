// Memory that a transport's library allocates itself, because it reaches this memory by paths that no other memory has.
#pragma once

#include <cstddef>

#include "transports/transport.hpp"

namespace railgauge {

struct Allocated {
  Region region;
  void (*release)(const Region& region) noexcept = nullptr;  // gives it back; also when the endpoint is gone
};

// An Endpoint that has such memory is one of these too. Regions of the kinds that it names come from it, and not from a Device.
class Allocator {
 public:
  virtual ~Allocator() = default;
  [[nodiscard]] virtual bool allocates(MemoryKind kind) const = 0;
  // Collective: every rank gets as much as the one that asks for most. Starts a page, is not zeroed, and is not attached yet.
  // Throws Error(usage) that names the call and the size.
  [[nodiscard]] virtual Allocated allocate(std::size_t bytes) = 0;
};

}  // namespace railgauge

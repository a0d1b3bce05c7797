// A plan that is recorded in its device's stream once and then replayed as a whole (a CUDA graph): the host makes one call an
// operation instead of many.
#pragma once

#include <memory>

#include "bench/device/device.hpp"
#include "bench/device/queued.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// A Runnable whose operations can be recorded in a stream.
class Recordable : public Queued {
 public:
  // Enqueues all of an operation in the stream, whatever its size, without a mark after it.
  virtual void put_all() = 0;
};

// `plan` is Recordable; it and `compute`, whose stream it works in, are as they were afterwards. The answer is Queued. Throws
// Error(usage) where one of them cannot.
[[nodiscard]] std::unique_ptr<Runnable> make_graph_plan(std::unique_ptr<Runnable> plan, Compute& compute);

}  // namespace railgauge

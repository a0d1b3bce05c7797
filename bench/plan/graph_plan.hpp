// A plan that is put into its device's stream once, noted there, and then replayed as a whole (a CUDA graph): the host tells the
// device one thing an operation instead of many.
#pragma once

#include <memory>

#include "bench/device/device.hpp"
#include "bench/device/queued.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// A Runnable whose operations can be noted in a stream.
class Recordable : public Queued {
 public:
  // Puts all of an operation into the stream, however much that is, and no mark behind it.
  virtual void put_all() = 0;
};

// `plan` is Recordable; it and `compute`, whose stream it works in, are as they were afterwards. The answer is Queued. Throws
// Error(usage) where one of them cannot.
[[nodiscard]] std::unique_ptr<Runnable> make_graph_plan(std::unique_ptr<Runnable> plan, Compute& compute);

}  // namespace railgauge

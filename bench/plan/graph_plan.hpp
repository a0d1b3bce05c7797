// A plan that is put into its device's stream once, noted there, and then replayed as a whole (a CUDA graph): the host tells the
// device one thing an operation instead of many.
#pragma once

#include <memory>

#include "bench/device/device.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// A Runnable that works in a stream alone.
class Recordable {
 public:
  virtual ~Recordable() = default;
  // Puts all of an operation into the stream, however much that is, and no mark behind it.
  virtual void put_all() = 0;
  // While an operation is in the stream, and when it is over: throws where it never will be, or was given up.
  virtual void look() = 0;
};

// `plan` is Recordable; it and `compute`, whose stream it works in, are as they were afterwards. Throws Error(usage) where one of
// them cannot.
[[nodiscard]] std::unique_ptr<Runnable> make_graph_plan(std::unique_ptr<Runnable> plan, Compute& compute);

}  // namespace railgauge

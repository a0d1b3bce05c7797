// What stands for the computations of a step: nothing, a pause, or a kernel of calibrated length.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/measure/loop.hpp"

namespace railgauge {

enum class Computing : std::uint8_t {
  none,    // takes no time
  pause,   // the time passes, and nothing contends with communication
  kernel,  // numbers in memory are added: by a thread, which takes a core and its caches, or by a kernel on all of a GPU
};
inline constexpr const char* computing_names[] = {"none", "pause", "kernel"};

// The computations of one rank. Streams are numbered from 0; each has at most one in flight.
class Computations {
 public:
  virtual ~Computations() = default;
  virtual void begin(std::size_t stream, Seconds duration) = 0;
  [[nodiscard]] virtual bool done(std::size_t stream) = 0;
  // For how long nothing of that stream will be done, so that who waits for nothing else may sleep; 0 where that is not known.
  [[nodiscard]] virtual Seconds left(std::size_t stream) = 0;
};

// Kernels run on the device of the buffers, in its streams from `first_stream` on, where it has kernels for that
// (bench/device/busy.hpp); else on the host. The device outlives the answer. Throws Error(usage).
[[nodiscard]] std::unique_ptr<Computations> make_computations(Computing computing, std::size_t streams, Clock clock,
                                                              Device& device, std::size_t first_stream);
// Whether kernels are threads of the host, which need a core beside that of the rank.
[[nodiscard]] bool takes_cores(Computing computing, const Device& device);

}  // namespace railgauge

// What stands for the computations of a step: nothing, a pause, or a kernel of calibrated length.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/measure/loop.hpp"

namespace railgauge {

enum class Computing : std::uint8_t {
  none,    // takes no time
  pause,   // the time passes, and nothing contends with communication
  kernel,  // a thread of the rank adds numbers in memory: it takes a core, its caches and memory bandwidth
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

[[nodiscard]] std::unique_ptr<Computations> make_computations(Computing computing, std::size_t streams, Clock clock);

}  // namespace railgauge

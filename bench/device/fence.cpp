// Waiting for a device, with a deadline.
#include <fmt/format.h>
#include <sched.h>

#include <chrono>

#include "base/error.hpp"
#include "bench/device/device.hpp"

namespace railgauge {

void fence(Compute& compute) {
  constexpr std::chrono::seconds patience{60};
  const std::uint64_t mark = compute.mark();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (unsigned turn = 1; !compute.reached(mark); ++turn) {
    if (turn % 1024 != 0) continue;
    if (std::chrono::steady_clock::now() > deadline)
      throw Error(Fault::lost, fmt::format("the device did not finish its copies and reductions within {} s", patience.count()));
    sched_yield();
  }
}

}  // namespace railgauge

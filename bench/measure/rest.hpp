// How a rank that waits for another gives up its core.
#pragma once

#include <thread>

#include "base/units.hpp"

namespace railgauge {

inline constexpr Seconds usual_nap{50e-6};

// Once it has waited for longer than four naps it sleeps for one between two looks: short waits are seen as soon as they are
// over. It is not longer for waits that are: an operation of many rounds would wait so in each of them. Zero: it sleeps only once
// it has waited for so long that a nap is nothing beside it, as for a rank that has died.
inline void rest(Seconds waited, Seconds nap) {
  constexpr Seconds long_wait = 5000 * usual_nap;
  if (waited > long_wait)
    std::this_thread::sleep_for(usual_nap);
  else if (nap > Seconds(0) && waited > 4 * nap)
    std::this_thread::sleep_for(nap);
  else
    std::this_thread::yield();
}

}  // namespace railgauge

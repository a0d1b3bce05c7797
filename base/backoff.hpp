// How a loop waits for another process or for a device where nothing is measured: with the core given up after each look, and
// asleep between two looks once it has looked many times, so that who waits takes no time from what it waits for.
#pragma once

#include <chrono>
#include <thread>

namespace railgauge {

class Backoff {
 public:
  void pause() {
    constexpr unsigned short_looks = 256, looks_by_naps = 2000;
    ++looks_;
    if (looks_ <= short_looks)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(looks_ <= short_looks + looks_by_naps ? std::chrono::microseconds(50)
                                                                        : std::chrono::microseconds(500));
  }

 private:
  unsigned looks_ = 0;
};

}  // namespace railgauge

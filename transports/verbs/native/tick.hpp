// Ends system calls that this thread sleeps in, now and then: a read that waits for the card has no deadline of its own, and to
// ask for one by poll() first is one more call for each message.
#pragma once

#include <ctime>

namespace railgauge::verbs {

class Tick {
 public:
  // From now on each call that sleeps in this thread ends by EINTR within a tenth of a second, by a signal that does nothing
  // else. Throws Error(usage).
  Tick();
  ~Tick();
  Tick(const Tick&) = delete;
  Tick& operator=(const Tick&) = delete;

 private:
  timer_t timer_{};
};

}  // namespace railgauge::verbs

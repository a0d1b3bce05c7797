// Whether the port that a waiting rank uses is still there: a device may report nothing at all of a message that was lost with
// the link, and the rank at the far end is told nothing either.
#pragma once

#include <chrono>
#include <optional>

#include "transports/verbs/port.hpp"

namespace railgauge::verbs {

class PortWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `port` outlives it. A port may be down for as long as its queue pairs try again, and two seconds more.
  PortWatch(const Port& port, const Options& options);

  // Something has come.
  void moved() noexcept { moved_ = true; }
  // Nothing has: asks the port now and then, after a second. Throws Error(lost) that names it when it has been down for too long.
  void look();

 private:
  const Port& port_;
  Clock::duration patience_;
  bool moved_ = true;
  Clock::time_point next_look_;
  std::optional<Clock::time_point> down_since_;
};

}  // namespace railgauge::verbs

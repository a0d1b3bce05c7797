// Runs one operation until it is complete: spins, yields the core where ranks share cores, and throws when the watchdog's time
// is over.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/measure/loop.hpp"

namespace railgauge {

class Completion {
 public:
  // All arguments must outlive it.
  Completion(const MeasuredOperation& subject, Group& group, Clock clock) : subject_(subject), group_(group), clock_(clock) {}

  // `iteration` is for the watchdog's sentence. Throws Error(lost) when it does not complete within the watchdog's time or a rank
  // is lost, Error(inconclusive) when the moment of end_by() has passed.
  void operator()(Runnable& runnable, bool is_barrier, std::uint64_t iteration) const {
    runnable.start();
    if (!spin(runnable)) wait(runnable, is_barrier, iteration);
  }
  // The same after runnable.start().
  void finish(Runnable& runnable, bool is_barrier, std::uint64_t iteration) const {
    if (!spin(runnable)) wait(runnable, is_barrier, iteration);
  }

  void end_by(Seconds moment, Seconds since) { last_ = {moment, since}; }
  void check_time() const;  // throws Error(inconclusive) when that moment has passed

 private:
  struct Last {
    Seconds moment, since;
  };
  [[nodiscard]] bool spin(Runnable& runnable) const {
    const int spins = subject_.yield ? 1 : 200;
    for (int i = 0; i < spins; ++i)
      if (runnable.test()) return true;
    return false;
  }
  void wait(Runnable& runnable, bool is_barrier, std::uint64_t iteration) const;

  const MeasuredOperation& subject_;
  Group& group_;
  Clock clock_;
  std::optional<Last> last_;
};

}  // namespace railgauge

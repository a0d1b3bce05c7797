// The patient part of bench/measure/completion.hpp.
#include "bench/measure/completion.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "bench/measure/rest.hpp"

namespace railgauge {

void Completion::wait(Runnable& runnable, bool is_barrier, std::uint64_t iteration) const {
  const Seconds since = clock_.now();
  do {
    group_.check();
    const Seconds waited = clock_.now() - since;
    if (waited >= subject_.watchdog)
      throw Error(Fault::lost, fmt::format("{}: rank {} of {} has waited {:.3g} s for {} {} to complete", subject_.name,
                                           group_.rank(), group_.size(), waited.count(),
                                           is_barrier ? "the barrier before iteration" : "iteration", iteration));
    check_time();
    // After so many spins it costs nothing, and hosts that are containers of one machine share cores that they do not know of.
    rest(waited, subject_.nap);
  } while (!spin(runnable));
}

void Completion::check_time() const {
  if (!last_ || clock_.now() < last_->moment) return;
  throw Error(Fault::inconclusive,
              fmt::format("{}: not done within the {:.3g} s that it was given, on rank {} of {}", subject_.name,
                          (last_->moment - last_->since).count(), group_.rank(), group_.size()));
}

}  // namespace railgauge

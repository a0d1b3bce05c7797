// Asks a port of its state while nothing comes.
#include "transports/verbs/port_watch.hpp"

#include <fmt/format.h>

namespace railgauge::verbs {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr milliseconds quiet{1000}, between{500};
// A link that comes back within that is no failure.
constexpr seconds grace{2};

// The most that a queue pair waits for an acknowledgement: devices may take twice the time that they were given.
PortWatch::Clock::duration retry_time(const Options& options) {
  if (options.timeout == 0) return std::chrono::years{1};  // it waits for ever
  constexpr nanoseconds unit{4096};
  return 2 * (options.retries + 1) * unit * (std::uint64_t{1} << options.timeout);
}

}  // namespace

PortWatch::PortWatch(const Port& port, const Options& options) : port_(port), patience_(retry_time(options) + grace) {}

void PortWatch::look() {
  const auto now = Clock::now();
  if (moved_) {
    moved_ = false;
    down_since_.reset();
    next_look_ = now + quiet;
    return;
  }
  if (now < next_look_) return;
  next_look_ = now + between;
  if (port_.is_active()) return down_since_.reset();
  if (!down_since_) down_since_ = now;
  if (now - *down_since_ < patience_) return;
  throw Error(Fault::lost,
              fmt::format("nothing has come over {} for {:.1f} s: {}; its cable, what is at the far end of it, or its network "
                          "interface is down",
                          port_.where(), duration<double>(now - *down_since_ + quiet).count(), port_.state_now()));
}

}  // namespace railgauge::verbs

// Lanes' queues, and waiting for all of them.
#include "bench/device/queues.hpp"

#include <chrono>

#include "base/backoff.hpp"

namespace railgauge {

std::unique_ptr<LaneQueues> make_lane_queues(Device& device, std::size_t lanes, Type type, Op op) {
  auto* const queues = dynamic_cast<Queues*>(&device);
  if (queues == nullptr || lanes < 2) return nullptr;
  auto made = std::make_unique<LaneQueues>();
  made->queues = queues;
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    (void)queues->stream_of(lane);
    made->computes.push_back(queues->compute_in(lane, type, op));
  }
  return made;
}

bool comes_to_rest(const std::function<bool()>& idle, const std::function<Seconds()>& now, Seconds patience) {
  const Seconds begin = now();
  for (Backoff backoff; !idle(); backoff.pause())
    if (now() - begin >= patience) return false;
  return true;
}

bool comes_to_rest(const std::function<bool()>& idle) {
  constexpr Seconds parting{5};
  return comes_to_rest(idle, [] { return Seconds(std::chrono::steady_clock::now().time_since_epoch()); }, parting);
}

}  // namespace railgauge

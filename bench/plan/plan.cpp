// The executor: post a round, wait for it, do its works, go on.
#include "bench/plan/plan.hpp"

#include <utility>

namespace railgauge {

Plan::Plan(std::vector<PlannedLane> lanes, Compute& compute) : lanes_(std::move(lanes)), compute_(compute) {
  for (PlannedLane& lane : lanes_)
    progress_.push_back({lane.exchange.get(), lane.works.data(), lane.ends.data(), lane.ends.size(), 0, 0});
}

void Plan::start() {
  for (Progress& lane : progress_) {
    lane.round = 0;
    lane.work = 0;
    if (lane.rounds != 0) lane.exchange->post(0);
  }
}

bool Plan::advance(Progress& lane) {
  while (lane.round != lane.rounds) {
    if (!lane.exchange->test(lane.round)) return false;
    const std::size_t end = lane.ends[lane.round];
    if (lane.work != end) {
      do perform(lane.works[lane.work], compute_);
      while (++lane.work != end);
      compute_.fence();
    }
    if (++lane.round != lane.rounds) lane.exchange->post(lane.round);
  }
  return true;
}

bool Plan::test() {
  bool done = true;
  for (Progress& lane : progress_) done = advance(lane) && done;
  return done;
}

}  // namespace railgauge

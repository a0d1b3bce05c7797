// The executor: post a round, wait for it, do its works, go on.
#include "bench/plan/plan.hpp"

#include <utility>

namespace railgauge {

Plan::Plan(std::vector<PlannedLane> lanes, Compute& compute, Order order)
    : lanes_(std::move(lanes)), compute_(compute), order_(order) {
  for (PlannedLane& lane : lanes_)
    progress_.push_back({.exchange = lane.exchange.get(),
                         .works = lane.works.data(),
                         .ends = lane.ends.data(),
                         .before = lane.before,
                         .rounds = lane.ends.size()});
}

void Plan::start() {
  for (Progress& lane : progress_) {
    lane.round = 0;
    lane.work = 0;
    lane.posted = false;
    begin_works(lane, lane.before);
    if (lane.rounds != 0) post_next(lane);
  }
}

inline void Plan::begin_works(Progress& lane, std::size_t end) {
  if (lane.work == end) return;
  do perform(lane.works[lane.work], compute_);
  while (++lane.work != end);
  if (order_ != Order::device) return;
  lane.mark = compute_.mark();
  lane.working = true;
}

inline bool Plan::works_are_done(Progress& lane) {
  if (lane.working) lane.working = !compute_.reached(lane.mark);
  return !lane.working;
}

inline bool Plan::post_next(Progress& lane) {
  if (!works_are_done(lane)) return false;
  lane.exchange->post(lane.round);
  lane.posted = true;
  return true;
}

bool Plan::advance(Progress& lane) {
  while (lane.round != lane.rounds) {
    if (!lane.posted && !post_next(lane)) return false;
    if (!lane.exchange->test(lane.round)) return false;
    begin_works(lane, lane.ends[lane.round]);
    lane.posted = false;
    ++lane.round;
  }
  return works_are_done(lane);
}

bool Plan::test() {
  bool done = true;
  for (Progress& lane : progress_) done = advance(lane) && done;
  return done;
}

}  // namespace railgauge

// Fills the queue, in portions.
#include "bench/plan/stream_plan.hpp"

#include <utility>

namespace railgauge {
namespace {

// Operations between two marks; twice as many are in the stream at most. CUDA's queues hold about a thousand.
constexpr std::size_t portion = 128;

}  // namespace

StreamPlan::StreamPlan(std::vector<PlannedLane> lanes, Compute& compute) : lanes_(std::move(lanes)), compute_(compute) {}

void StreamPlan::rewind() {
  lane_ = round_ = work_ = since_mark_ = 0;
  mark_ = 0;
  begun_ = all_ = false;
}

void StreamPlan::start() {
  rewind();
  if (!enqueue(false)) return;
  all_ = true;
  end_ = compute_.mark();
}

void StreamPlan::put_all() {
  rewind();
  (void)enqueue(true);
}

bool StreamPlan::test() {
  if (!all_) {
    if (!enqueue(false)) return false;
    all_ = true;
    end_ = compute_.mark();
  }
  if (compute_.reached(end_)) return true;
  look();
  return false;
}

void StreamPlan::look() {
  for (const PlannedLane& lane : lanes_)
    if (!lane.ends.empty()) lane.exchange->test(lane.ends.size() - 1);
}

bool StreamPlan::make_room() {
  if (since_mark_ < portion) return true;
  if (mark_ != 0 && !compute_.reached(mark_)) {
    lanes_[lane_].exchange->test(round_);
    return false;
  }
  mark_ = compute_.mark();
  since_mark_ = 0;
  return true;
}

void StreamPlan::begin_works(PlannedLane& lane, std::size_t end) {
  since_mark_ += end - work_;
  for (; work_ != end; ++work_) perform(lane.works[work_], compute_);
}

// True when all of it is in the stream.
bool StreamPlan::enqueue(bool all_at_once) {
  for (; lane_ != lanes_.size(); ++lane_, round_ = work_ = 0, begun_ = false) {
    PlannedLane& lane = lanes_[lane_];
    if (!begun_) {
      begin_works(lane, lane.before);
      begun_ = true;
    }
    for (; round_ != lane.ends.size(); ++round_) {
      if (!all_at_once && !make_room()) return false;
      lane.exchange->post(round_);
      ++since_mark_;
      begin_works(lane, lane.ends[round_]);
    }
  }
  return true;
}

}  // namespace railgauge

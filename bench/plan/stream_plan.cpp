// Fills the queues, in portions.
#include "bench/plan/stream_plan.hpp"

#include <algorithm>
#include <utility>

namespace railgauge {
namespace {

// Operations between two marks; twice as many are in a stream at most, or a round that has more, and a portion behind it. CUDA's
// queues hold about a thousand.
constexpr std::size_t portion = 128;

}  // namespace

StreamPlan::StreamPlan(std::vector<PlannedLane> lanes, Compute& compute, LaneQueues* queues)
    : lanes_(std::move(lanes)),
      compute_(compute),
      queues_(lanes_.size() > 1 ? queues : nullptr),
      progress_(lanes_.size()),
      fills_(queues_ == nullptr ? 1 : lanes_.size()) {}

void StreamPlan::rewind() {
  std::fill(progress_.begin(), progress_.end(), Progress{});
  std::fill(fills_.begin(), fills_.end(), Fill{});
  all_ = false;
}

void StreamPlan::fork() {
  if (queues_ == nullptr) return;
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane) queues_->queues->fork(lane);
}

// Only when all is in the streams: what comes behind a join waits for that lane.
void StreamPlan::join() {
  if (queues_ == nullptr) return;
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane) queues_->queues->join(lane);
}

void StreamPlan::start() {
  if (begin()) end_ = compute_.mark();
}

bool StreamPlan::begin() {
  rewind();
  fork();
  return put();
}

bool StreamPlan::put() {
  if (all_) return true;
  if (!enqueue(false)) return false;
  join();
  all_ = true;
  return true;
}

void StreamPlan::put_all() {
  rewind();
  fork();
  (void)enqueue(true);
  join();
}

bool StreamPlan::test() {
  if (!all_) {
    if (!put()) return false;
    end_ = compute_.mark();
  }
  if (compute_.reached(end_)) return true;
  look();
  return false;
}

std::size_t StreamPlan::room() const {
  std::size_t fullest = 0, together = 0, most = portion;
  for (const PlannedLane& lane : lanes_) {
    std::size_t its = lane.before + 2;  // to begin behind lane 0 and to end before what follows
    for (std::size_t round = 0; round != lane.ends.size(); ++round) {
      const std::size_t more = operations(lane, round);
      its += more;
      most = std::max(most, more);
    }
    fullest = std::max(fullest, its);
    together += its;
  }
  return std::min(queues_ == nullptr ? together : fullest, portion + most);
}

std::size_t StreamPlan::operations(const PlannedLane& lane, std::size_t round) {
  return lane.exchange->operations(round) + lane.ends[round] - (round == 0 ? lane.before : lane.ends[round - 1]);
}

void StreamPlan::look() {
  for (const PlannedLane& lane : lanes_)
    if (!lane.ends.empty()) lane.exchange->test(lane.ends.size() - 1);
}

// Before as many operations. What is more than a portion comes behind all that was there.
bool StreamPlan::make_room(std::size_t lane, std::size_t operations) {
  Fill& fill = fill_of(lane);
  if (fill.since_mark + operations <= portion) return true;
  Compute& compute = compute_of(lane);
  if (fill.mark != 0 && !compute.reached(fill.mark)) {
    lanes_[lane].exchange->test(progress_[lane].round);
    return false;
  }
  if (fill.since_mark == 0) return true;
  fill.mark = compute.mark();
  fill.since_mark = 0;
  return operations <= portion;
}

void StreamPlan::begin_works(std::size_t lane, std::size_t end) {
  Progress& at = progress_[lane];
  fill_of(lane).since_mark += end - at.work;
  for (; at.work != end; ++at.work) perform(lanes_[lane].works[at.work], compute_of(lane));
}

// The next round of a lane, unless there is no room for it: false then.
bool StreamPlan::put_round(std::size_t lane, bool all_at_once) {
  PlannedLane& its = lanes_[lane];
  Progress& at = progress_[lane];
  if (!at.begun) {
    begin_works(lane, its.before);
    at.begun = true;
    if (its.ends.empty()) return true;
  }
  if (!all_at_once && !make_room(lane, operations(its, at.round))) return false;
  fill_of(lane).since_mark += its.exchange->operations(at.round);
  its.exchange->post(at.round);
  begin_works(lane, its.ends[at.round]);
  ++at.round;
  return true;
}

// True when all of it is in the streams. A round of each lane one after the other, or where they have one stream lane after lane.
bool StreamPlan::enqueue(bool all_at_once) {
  for (;;) {
    bool left = false, moved = false;
    for (std::size_t lane = 0; lane != lanes_.size(); ++lane) {
      if (is_in(lane)) continue;
      moved = put_round(lane, all_at_once) || moved;
      if (is_in(lane)) continue;
      left = true;
      if (queues_ == nullptr) break;
    }
    if (!left) return true;
    if (!moved) return false;
  }
}

}  // namespace railgauge

// Watches one execution.
#include "bench/schedule/verify/times.hpp"

#include <algorithm>

namespace railgauge {
namespace {

class Watch {
 public:
  Watch(std::span<const Schedule> ranks, RoundTimes& times, bool locals_take_time)
      : ranks_(ranks), times_(times), locals_take_time_(locals_take_time), now_(ranks.size()), done_(ranks.size()) {}

  void post(std::int32_t rank, Position at) {
    const auto r = static_cast<std::size_t>(rank);
    times_.begun[r][at.round] = now_[r];
    const Round& round = ranks_[r].rounds[at.round];
    done_[r] = now_[r] + (locals_take_time_ && round.transfers.empty() && !round.locals.empty() ? 1 : 0);
  }
  void meet(std::int32_t sender, std::uint32_t send, std::int32_t receiver, std::uint32_t receive, std::uint32_t /*run*/) {
    const auto s = static_cast<std::size_t>(sender), r = static_cast<std::size_t>(receiver);
    const std::uint32_t step = std::max(now_[s], now_[r]);
    times_.met[s][send] = times_.met[r][receive] = step;
    done_[s] = std::max(done_[s], step + 1);
    done_[r] = std::max(done_[r], step + 1);
    times_.steps = std::max(times_.steps, step + 1);
  }
  void complete(std::int32_t rank, Position at) {
    const auto r = static_cast<std::size_t>(rank);
    times_.complete[r][at.round] = now_[r] = done_[r];
    times_.steps = std::max(times_.steps, done_[r]);
  }

 private:
  std::span<const Schedule> ranks_;
  RoundTimes& times_;
  bool locals_take_time_;
  std::vector<std::uint32_t> now_, done_;
};

}  // namespace

RoundTimes round_times(std::span<const Schedule> ranks, bool locals_take_time) {
  RoundTimes times;
  for (const Schedule& schedule : ranks) {
    TransferEnds& ends = times.ends.emplace_back();
    for (const Round& round : schedule.rounds) {
      for (const Transfer& transfer : round.transfers) ends.add(transfer.kind, transfer.peer);
      ends.close_round();
    }
    times.begun.emplace_back(schedule.rounds.size(), never);
    times.complete.emplace_back(schedule.rounds.size(), never);
    times.met.emplace_back(ends.ends.size(), never);
  }
  match(times.ends);
  Watch watch(ranks, times, locals_take_time);
  times.stuck = step_through(times.ends, 1, watch);
  return times;
}

}  // namespace railgauge

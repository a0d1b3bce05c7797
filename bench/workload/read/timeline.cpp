// A sweep over all moments at which something begins or ends.
#include "bench/workload/read/timeline.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace railgauge {
namespace {

// How much later than the end of the kernel before it a kernel may begin and still have waited for it.
constexpr double launch_gap = 10e-6;

struct ReadyCall {
  TimedCall call;
  double ready = 0;
};

std::vector<ReadyCall> find_ready(std::vector<TimedCall> calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const TimedCall& a, const TimedCall& b) { return a.start < b.start; });
  std::map<std::tuple<int, WorkKind, int>, std::pair<double, double>> last;  // by stream: ready and end of the call before
  std::vector<ReadyCall> ready;
  for (TimedCall& call : calls) {
    const bool message = call.call.node.work != WorkKind::collective;
    const auto stream = std::tuple(call.call.node.group, call.call.node.work, message ? call.call.node.peer : 0);
    const auto before = last.find(stream);
    double when = call.start;
    if (before != last.end() && call.start - before->second.second < launch_gap)
      when = std::clamp(call.issued, std::min(before->second.first, call.start), call.start);
    last[stream] = {when, call.end};
    ready.push_back({std::move(call), when});
  }
  std::stable_sort(ready.begin(), ready.end(), [](const ReadyCall& a, const ReadyCall& b) { return a.ready < b.ready; });
  return ready;
}

// Sorted, without overlaps.
std::vector<BusyTime> united(std::vector<BusyTime> times) {
  std::sort(times.begin(), times.end(), [](const BusyTime& a, const BusyTime& b) { return a.start < b.start; });
  std::vector<BusyTime> result;
  for (const BusyTime& one : times)
    if (!result.empty() && one.start <= result.back().end)
      result.back().end = std::max(result.back().end, one.end);
    else
      result.push_back(one);
  return result;
}

// Walks through sorted spans as time goes on.
class Spans {
 public:
  explicit Spans(const std::vector<BusyTime>& spans) : spans_(spans) {}
  // Whether one is going on from `now` on.
  bool at(double now) {
    while (next_ < spans_.size() && spans_[next_].end <= now) ++next_;
    return next_ < spans_.size() && spans_[next_].start <= now;
  }

 private:
  const std::vector<BusyTime>& spans_;
  std::size_t next_ = 0;
};

}  // namespace

void add_timeline(RankTrace& trace, std::vector<TimedCall> calls, std::vector<BusyTime> computations) {
  if (calls.empty()) return;
  const std::vector<ReadyCall> ordered = find_ready(std::move(calls));
  const std::vector<BusyTime> computing = united(std::move(computations));
  std::vector<BusyTime> kernels;
  for (const ReadyCall& one : ordered) kernels.push_back({one.call.start, one.call.end});
  const std::vector<BusyTime> communicating = united(kernels);

  std::vector<double> moments;
  for (const std::vector<BusyTime>* const spans : {&computing, &communicating})
    for (const BusyTime& one : *spans) {
      moments.push_back(one.start);
      moments.push_back(one.end);
    }
  for (const ReadyCall& one : ordered) moments.push_back(one.ready);
  std::vector<std::pair<double, std::size_t>> ends;  // of calls
  for (std::size_t i = 0; i < ordered.size(); ++i) ends.emplace_back(ordered[i].call.end, i);
  std::sort(ends.begin(), ends.end());
  for (const auto& [end, call] : ends) moments.push_back(end);
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());

  IssueOrder order(trace);
  std::vector<std::uint32_t> position(ordered.size());
  std::size_t next_call = 0, next_end = 0;
  double computed = 0, since = moments.front();
  bool waiting = false;
  const auto flush = [&] {
    order.compute(Seconds(computed), "computation", Seconds(since));
    computed = 0;
  };
  Spans busy(computing), communication(communicating);
  for (std::size_t m = 0; m < moments.size(); ++m) {
    const double now = moments[m];
    // Calls that end here while the rank waits are what it waited for.
    for (; next_end < ends.size() && ends[next_end].first <= now; ++next_end)
      if (waiting) order.wait(position[ends[next_end].second]);
    for (; next_call < ordered.size() && ordered[next_call].ready <= now; ++next_call) {
      flush();
      since = now;
      TracedCall call = ordered[next_call].call.call;
      call.node.start = Seconds(ordered[next_call].call.start);
      position[next_call] = order.call(std::move(call));
    }
    if (m + 1 == moments.size()) break;
    const bool waits = communication.at(now) && !busy.at(now);
    if (waits && !waiting) flush();
    if (!waits && (waiting || computed == 0)) since = now;
    if (!waits) computed += moments[m + 1] - now;
    waiting = waits;
  }
  flush();
}

}  // namespace railgauge

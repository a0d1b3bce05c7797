// The loop around the streams of a rank; bench/workload/run/executor.hpp.
#include "bench/workload/run/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "bench/measure/rest.hpp"

namespace railgauge {
namespace {

constexpr Seconds early{80e-6};  // who sleeps until a computation ends wakes so long before

}  // namespace

std::size_t Executor::computing_streams(std::span<const WorkNode> nodes) {
  std::set<int> streams;
  for (const WorkNode& node : nodes)
    if (node.work == WorkKind::compute) streams.insert(node.stream);
  return streams.size();
}

Executor::Executor(std::span<const WorkNode> nodes, std::vector<Runnable*> calls, Computations& computations, Clock clock)
    : nodes_(nodes), calls_(std::move(calls)), computations_(computations), clock_(clock), done_(nodes.size()) {
  std::map<int, Stream> streams;
  std::map<Runnable*, std::uint32_t> plans;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    streams[nodes[i].stream].nodes.push_back(i);
    if (nodes[i].communicates() && calls_[i] == nullptr)
      throw Error(Fault::usage, fmt::format("node {} of the workload has no plan", nodes[i].name));
    plan_of_.push_back(plans.emplace(calls_[i], static_cast<std::uint32_t>(plans.size())).first->second);
    used_.resize(plans.size());
    nth_.push_back(used_[plan_of_.back()]++);
  }
  std::size_t computing = 0;
  for (auto& [number, stream] : streams) {
    if (std::any_of(stream.nodes.begin(), stream.nodes.end(),
                    [&](std::uint32_t i) { return nodes[i].work == WorkKind::compute; }))
      stream.computes = computing++;
    streams_.push_back(std::move(stream));
  }
}

bool Executor::is_ready(std::uint32_t node) const {
  const std::vector<std::uint32_t>& after = nodes_[node].after;
  return std::all_of(after.begin(), after.end(), [&](std::uint32_t before) { return done_[before] != 0; });
}

// False where nodes that come first in the list have yet to use its plan, or one has it in flight.
bool Executor::begin(const Stream& stream, std::uint32_t node, Part part) {
  if (nodes_[node].work == WorkKind::compute) {
    if (part != Part::communication) computations_.begin(stream.computes, nodes_[node].duration);
  } else if (calls_[node] != nullptr && part != Part::computation) {
    if (used_[plan_of_[node]] != nth_[node]) return false;
    calls_[node]->start();
  }
  return true;
}

bool Executor::ended(const Stream& stream, std::uint32_t node, Part part, const CallEnded& call_ended) {
  if (nodes_[node].work == WorkKind::compute) return part == Part::communication || computations_.done(stream.computes);
  if (calls_[node] == nullptr || part == Part::computation) return true;
  if (!calls_[node]->test()) return false;
  if (call_ended) call_ended(node, nth_[node]);
  ++used_[plan_of_[node]];
  return true;
}

// Whether a node has begun or ended.
bool Executor::advance(Stream& stream, Part part, std::span<Interval> times, const CallEnded& call_ended) {
  bool moved = false;
  while (stream.next != stream.nodes.size()) {
    const std::uint32_t node = stream.nodes[stream.next];
    if (!stream.running) {
      if (!is_ready(node)) return moved;
      const double now = clock_.now().count();
      if (!begin(stream, node, part)) return moved;
      times[node].start = now;
      stream.running = moved = true;
    }
    if (!ended(stream, node, part, call_ended)) return moved;
    times[node].end = clock_.now().count();
    done_[node] = 1;
    stream.running = false;
    ++stream.next;
    moved = true;
  }
  return moved;
}

void Executor::run(Part part, std::span<Interval> times, const Patience& patience, const CallEnded& call_ended) {
  std::fill(done_.begin(), done_.end(), std::uint8_t{0});
  std::fill(used_.begin(), used_.end(), std::uint32_t{0});
  for (Stream& stream : streams_) stream.next = 0;
  const int spins = patience.yield ? 2 : 200;
  int idle = 0;
  Seconds since = clock_.now();
  while (std::any_of(streams_.begin(), streams_.end(), [](const Stream& stream) { return stream.next != stream.nodes.size(); })) {
    bool moved = false;
    for (Stream& stream : streams_) moved = advance(stream, part, times, call_ended) || moved;
    if (moved) {
      idle = 0;
      continue;
    }
    if (idle == 0) since = clock_.now();
    if (++idle >= spins) wait(part, patience, since);
  }
}

// Nothing has proceeded for some time. Where no call is in flight it sleeps until the first computation is about to end.
void Executor::wait(Part part, const Patience& patience, Seconds since) {
  patience.check();
  bool calls = false, computes = false;
  Seconds left{1e-3};
  for (const Stream& stream : streams_) {
    if (!stream.running) continue;
    const bool its = nodes_[stream.nodes[stream.next]].work == WorkKind::compute;
    (its ? computes : calls) = true;
    if (its) left = std::min(left, part == Part::communication ? Seconds(0) : computations_.left(stream.computes));
  }
  const Seconds waited = clock_.now() - since;
  // A computation may take longer than any call: it is no reason to give up.
  if (!computes && waited >= patience.watchdog)
    throw Error(Fault::lost, fmt::format("nothing has proceeded for {:.3g} s: {}", waited.count(), waiting_for()));
  if (!calls && left > early)
    std::this_thread::sleep_for(left - early);
  else if (patience.yield)
    rest(waited, usual_nap);
}

std::string Executor::waiting_for() const {
  std::string text;
  for (const Stream& stream : streams_) {
    if (!stream.running) continue;
    const WorkNode& node = nodes_[stream.nodes[stream.next]];
    text += fmt::format("{}stream {} is in {}", text.empty() ? "" : ", ", node.stream, node.name);
  }
  return text;
}

}  // namespace railgauge

// What changes when a flow begins or ends: bench/predict/flows/fluid.hpp.
#include "bench/predict/flows/fluid.hpp"

#include <algorithm>

namespace railgauge::predict {
namespace {

// Two ends within this share of the time are one.
constexpr double same_time = 1e-12;

}  // namespace

Fluid::Fluid(std::vector<double> capacities, double grain) : arcs_(capacities.size()), grain_(grain) {
  for (std::size_t i = 0; i < capacities.size(); ++i) arcs_[i].capacity = capacities[i];
}

std::uint32_t Fluid::start(Path path, double bytes) {
  auto number = static_cast<std::uint32_t>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[number];
  flow.path = std::move(path);
  flow.alone = never;
  visit(flow.path, [&](std::uint32_t arc, double share) {
    if (arcs_[arc].capacity / share >= flow.alone) return;
    flow.alone = arcs_[arc].capacity / share;
    flow.narrowest = arc;
  });
  flow.contended_at = 0;
  flow.rate = 0;
  flow.left = bytes;
  flow.since = now_;
  flow.alive = true;
  visit(flow.path, [&](std::uint32_t arc, double share) {
    ArcState& it = arcs_[arc];
    it.wanted += flow.alone * share;
    ++it.alive;
    if (!it.ever_full && full(it)) {
      it.ever_full = true;
      ++times_full_;
    }
    // Those that have ended are cleared away when they are most of them.
    if (it.members.size() > 8 && it.members.size() > std::size_t{2} * it.alive)
      std::erase_if(it.members, [&](const Member& m) { return !flows_[m.flow].alive || flows_[m.flow].life != m.life; });
    it.members.push_back({number, flow.life});
  });
  ++in_flight_;
  begun_.push_back(number);
  return number;
}

void Fluid::stop(std::uint32_t number) {
  Flow& flow = flows_[number];
  flow.alive = false;
  visit(flow.path, [&](std::uint32_t arc, double share) {
    ArcState& it = arcs_[arc];
    const bool was_full = full(it);
    it.wanted -= flow.alone * share;
    if (--it.alive == 0) {
      it.wanted = 0;
      it.members.clear();
    }
    if (was_full && it.alive != 0) arcs_to_do_.push_back(arc);
  });
  flow.path.clear();
  ++flow.life;
  ++flow.version;
  free_.push_back(number);
  --in_flight_;
}

void Fluid::set_rate(std::uint32_t number, double rate) {
  Flow& flow = flows_[number];
  if (flow.rate == rate && flow.rate > 0) return;
  flow.left = std::max(0.0, flow.left - flow.rate * (now_ - flow.since));
  flow.since = now_;
  flow.rate = rate;
  ++flow.version;
  const double end = flow.left > 0 ? now_ + flow.left / rate : now_;
  ends_.push_back({end, number, flow.version});
  std::push_heap(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.time > b.time; });
}

void Fluid::look_up(Flow& flow) {
  if (flow.contended_at == times_full_) return;
  flow.contended_at = times_full_;
  flow.contended.clear();
  visit(flow.path, [&](std::uint32_t arc, double share) {
    if (arcs_[arc].ever_full) flow.contended.push_back({arc, share});
  });
}

void Fluid::drop_old_ends() {
  std::erase_if(ends_, [&](const End& it) { return !flows_[it.flow].alive || flows_[it.flow].version != it.version; });
  std::make_heap(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.time > b.time; });
}

// The flow is to be filled again, and with it all that goes through its full arcs.
void Fluid::touch(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.gathered) return;
  flow.gathered = true;
  gathered_flows_.push_back(number);
  look_up(flow);
  for (const Use& it : flow.contended)
    if (full(arcs_[it.arc])) gather(it.arc);
}

void Fluid::gather(std::uint32_t arc) {
  ArcState& it = arcs_[arc];
  if (it.gathered) return;
  it.gathered = true;
  it.local = static_cast<std::uint32_t>(gathered_arcs_.size());
  gathered_arcs_.push_back(arc);
}

void Fluid::settle() {
  if (begun_.empty() && arcs_to_do_.empty()) return;
  gathered_flows_.clear();
  gathered_arcs_.clear();
  for (const std::uint32_t flow : begun_)
    if (flows_[flow].alive) touch(flow);
  // An arc that has ceased to be full still has flows that it slowed.
  for (const std::uint32_t arc : arcs_to_do_) gather(arc);
  std::size_t next_arc = 0;
  while (next_arc < gathered_arcs_.size())  // touch() adds to them
    for (const Member& member : arcs_[gathered_arcs_[next_arc++]].members)
      if (flows_[member.flow].alive && flows_[member.flow].life == member.life) touch(member.flow);
  filled_.clear();
  uses_.clear();
  capacities_.clear();
  for (const std::uint32_t arc : gathered_arcs_) capacities_.push_back(arcs_[arc].capacity);
  for (const std::uint32_t number : gathered_flows_) {
    const Flow& flow = flows_[number];
    const auto first = static_cast<std::uint32_t>(uses_.size());
    for (const Use& it : flow.contended)
      if (arcs_[it.arc].gathered) uses_.push_back({arcs_[it.arc].local, it.share});
    // An arc that is filled here needs no limit beside it.
    const double limit = arcs_[flow.narrowest].gathered ? never : flow.alone;
    filled_.push_back({first, static_cast<std::uint32_t>(uses_.size()) - first, limit});
  }
  const std::span<const double> rates = filling_.rates(capacities_, filled_, uses_);
  for (std::size_t i = 0; i < gathered_flows_.size(); ++i) set_rate(gathered_flows_[i], rates[i]);
  if (ends_.size() > 2 * in_flight_ + 64) drop_old_ends();
  for (const std::uint32_t flow : gathered_flows_) flows_[flow].gathered = false;
  for (const std::uint32_t arc : gathered_arcs_) arcs_[arc].gathered = false;
  begun_.clear();
  arcs_to_do_.clear();
}

double Fluid::next() {
  settle();
  const auto later = [](const End& a, const End& b) { return a.time > b.time; };
  while (!ends_.empty()) {
    const End& top = ends_.front();
    if (flows_[top.flow].alive && flows_[top.flow].version == top.version) return top.time;
    std::pop_heap(ends_.begin(), ends_.end(), later);
    ends_.pop_back();
  }
  return never;
}

void Fluid::advance(double time, std::vector<std::uint32_t>& ended) {
  const auto later = [](const End& a, const End& b) { return a.time > b.time; };
  const double until = std::max(time * (1 + same_time), time + grain_);
  std::vector<std::uint32_t> stopped;
  while (next() <= until) {
    const End top = ends_.front();
    std::pop_heap(ends_.begin(), ends_.end(), later);
    ends_.pop_back();
    stopped.push_back(top.flow);
    ++flows_[top.flow].version;
    // All ends of this time come before the rates of the others change.
    while (!ends_.empty() && ends_.front().time <= until) {
      const End other = ends_.front();
      std::pop_heap(ends_.begin(), ends_.end(), later);
      ends_.pop_back();
      if (!flows_[other.flow].alive || flows_[other.flow].version != other.version) continue;
      ++flows_[other.flow].version;
      stopped.push_back(other.flow);
    }
    now_ = std::max(now_, time);
    for (const std::uint32_t flow : stopped) stop(flow);
    ended.insert(ended.end(), stopped.begin(), stopped.end());
    stopped.clear();
  }
  now_ = std::max(now_, time);
}

}  // namespace railgauge::predict

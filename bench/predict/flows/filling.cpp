// The loop of bench/predict/flows/filling.hpp: a heap of the rates at which arcs fill, and the flows by their limits.
#include "bench/predict/flows/filling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace railgauge::predict {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
// A weight that is left over by rounding alone.
constexpr double nothing = 1e-12;

}  // namespace

// The flows through each arc.
void Filling::index(std::size_t arcs, std::span<const FlowArcs> flows, std::span<const Use> uses) {
  starts_.assign(arcs + 1, 0);
  for (const FlowArcs& it : flows)
    for (const Use& use : uses.subspan(it.first, it.count)) ++starts_[use.arc + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  members_.resize(starts_.back());
  for (std::size_t which = flows.size(); which-- > 0;)
    for (const Use& use : uses.subspan(flows[which].first, flows[which].count))
      members_[--starts_[use.arc + 1]] = static_cast<std::uint32_t>(which);
  // Each start has moved down by its own count: shift them into place.
  for (std::size_t arc = 0; arc < arcs; ++arc) starts_[arc] = starts_[arc + 1];
  starts_[arcs] = static_cast<std::uint32_t>(members_.size());
}

void Filling::push(std::uint32_t arc) {
  if (weight_[arc] <= nothing) return;
  heap_.push_back({std::max(left_[arc], 0.0) / weight_[arc], arc});
  std::push_heap(heap_.begin(), heap_.end(), [](const Level& a, const Level& b) { return a.rate > b.rate; });
}

void Filling::fix(std::size_t which, double rate, std::span<const FlowArcs> flows, std::span<const Use> uses) {
  const FlowArcs& it = flows[which];
  fixed_[which] = true;
  rates_[which] = rate;
  for (const Use& use : uses.subspan(it.first, it.count)) {
    left_[use.arc] -= rate * use.share;
    weight_[use.arc] -= use.share;
  }
}

std::span<const double> Filling::rates(std::span<const double> capacities, std::span<const FlowArcs> flows,
                                       std::span<const Use> uses) {
  index(capacities.size(), flows, uses);
  rates_.assign(flows.size(), unlimited);
  fixed_.assign(flows.size(), false);
  left_.assign(capacities.begin(), capacities.end());
  weight_.assign(capacities.size(), 0);
  for (const FlowArcs& it : flows)
    for (const Use& use : uses.subspan(it.first, it.count)) weight_[use.arc] += use.share;
  by_limit_.clear();
  for (std::uint32_t which = 0; which < flows.size(); ++which)
    if (flows[which].limit < unlimited) by_limit_.push_back(which);
  std::sort(by_limit_.begin(), by_limit_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return flows[a].limit < flows[b].limit; });
  heap_.clear();
  for (std::uint32_t arc = 0; arc < capacities.size(); ++arc) push(arc);

  // The rate at which an arc fills only grows as other flows are fixed below it, so an entry that is too low is put back.
  const auto later = [](const Level& a, const Level& b) { return a.rate > b.rate; };
  std::size_t next = 0;
  for (;;) {
    while (next < by_limit_.size() && fixed_[by_limit_[next]]) ++next;
    const double limit = next == by_limit_.size() ? unlimited : flows[by_limit_[next]].limit;
    if (next < by_limit_.size() && (heap_.empty() || limit <= heap_.front().rate)) {
      fix(by_limit_[next], limit, flows, uses);
      continue;
    }
    if (heap_.empty()) break;
    const Level top = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    if (weight_[top.arc] <= nothing) continue;
    const double rate = std::max(left_[top.arc], 0.0) / weight_[top.arc];
    if (rate > top.rate * (1 + nothing)) {
      push(top.arc);
      continue;
    }
    for (std::uint32_t i = starts_[top.arc]; i < starts_[top.arc + 1]; ++i)
      if (!fixed_[members_[i]]) fix(members_[i], rate, flows, uses);
    weight_[top.arc] = 0;
  }
  return rates_;
}

}  // namespace railgauge::predict

// Three columns for what has two directions (both, out, in), one for each switch and each set of switches. With one rail a NIC is
// the same as its host.
#include "bench/validate/method/columns.hpp"

#include <algorithm>

namespace railgauge::validate {
namespace {

constexpr std::size_t directions = 3;
constexpr std::size_t place(Direction direction) { return static_cast<std::size_t>(direction); }

}  // namespace

Columns::Columns(const Fleet& fleet, const Samples& samples)
    : hosts_(fleet.hosts.size()),
      rails_(fleet.rails),
      switches_(fleet.switches.size()),
      cables_(fleet.cables.size()),
      nics_from_(directions * hosts_),
      switches_from_(nics_from_ + (rails_ > 1 ? directions * hosts_ * rails_ : 0)),
      cables_from_(switches_from_ + switches_),
      links_from_(cables_from_ + directions * cables_),
      sets_(!fleet.route &&
            std::any_of(fleet.switches.begin(), fleet.switches.end(), [](const Switch& it) { return it.above != npos; })) {
  sets_from_ = links_from_ + (sets_ ? directions * switches_ : 0);
  end_ = sets_from_ + (sets_ ? switches_ : 0);
  for (const Switch& it : fleet.switches)
    switch_kinds_.push_back(it.tier == Tier::leaf ? ComponentKind::leaf : ComponentKind::spine);
  for (const Cable& it : fleet.cables)
    cable_kinds_.push_back(fleet.switches[it.a].tier == Tier::leaf ? ComponentKind::uplink : ComponentKind::spine_link);
  starts_.assign(end_ + 1, 0);
  each(fleet, samples, [this](std::size_t column, Index) { ++starts_[column + 1]; });
  for (std::size_t i = 0; i < end_; ++i) starts_[i + 1] += starts_[i];
  samples_.resize(starts_[end_]);
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  each(fleet, samples, [&](std::size_t column, Index sample) { samples_[next[column]++] = sample; });
}

template <typename Take>
void Columns::each(const Fleet& fleet, const Samples& samples, Take take) const {
  std::vector<Hop> hops;
  std::vector<Index> passed;  // switches: each once
  for (Index i = 0; i < samples.list.size(); ++i) {
    const Sample& it = samples.list[i];
    const auto both_and = [&](std::size_t from, Direction direction) {
      take(from + place(Direction::both), i);
      take(from + place(direction), i);
    };
    both_and(directions * it.from, Direction::out);
    both_and(directions * it.to, Direction::in);
    if (rails_ > 1) {
      both_and(nics_from_ + directions * (it.from * rails_ + it.rail), Direction::out);
      both_and(nics_from_ + directions * (it.to * rails_ + it.rail), Direction::in);
    }
    passed.clear();
    const auto pass = [&](Index one) {
      if (one == npos || std::find(passed.begin(), passed.end(), one) != passed.end()) return;
      passed.push_back(one);
      take(switches_from_ + one, i);
    };
    pass(leaf_of(fleet, it.from, it.rail));
    pass(leaf_of(fleet, it.to, it.rail));
    if (sets_) {
      const SetsPassed sets = sets_passed(fleet, it.from, it.to, it.rail);
      const auto pass_set = [&](Index one) {
        if (one == npos || std::find(passed.begin(), passed.end(), one) != passed.end()) return;
        passed.push_back(one);
        take(sets_from_ + one, i);
      };
      if (sets.leaves) {
        both_and(links_from_ + directions * sets.up.leaf, Direction::out);
        both_and(links_from_ + directions * sets.down.leaf, Direction::in);
        pass_set(sets.up.set);
        pass_set(sets.down.set);
      }
      if (sets.above) {
        both_and(links_from_ + directions * sets.up.set, Direction::out);
        both_and(links_from_ + directions * sets.down.set, Direction::in);
        pass_set(sets.up.top);
        pass_set(sets.down.top);
      }
    }
    if (!fleet.route) continue;
    hops.clear();
    fleet.route(it.from, it.to, it.rail, hops);
    for (const Hop& hop : hops) {
      both_and(cables_from_ + directions * hop.cable, hop.down ? Direction::in : Direction::out);
      pass(fleet.cables[hop.cable].a);
      pass(fleet.cables[hop.cable].b);
    }
  }
}

double Columns::overlap(std::size_t a, std::size_t b) const {
  const std::span<const Index> x = of(a), y = of(b);
  if (x.empty() || y.empty()) return 0;
  std::size_t shared = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i] == y[j]) ++shared;
    if (x[i] <= y[j])
      ++i;
    else
      ++j;
  }
  return static_cast<double>(shared) / static_cast<double>(std::min(x.size(), y.size()));
}

Index Columns::rail_of(std::size_t column, const Samples& samples) const {
  const std::span<const Index> all = of(column);
  if (all.empty()) return npos;
  const Index rail = samples.list[all.front()].rail;
  return std::all_of(all.begin(), all.end(), [&](Index sample) { return samples.list[sample].rail == rail; }) ? rail : npos;
}

Component Columns::component(std::size_t column) const {
  Component it;
  const auto index = [](std::size_t value) { return static_cast<Index>(value); };
  if (column < nics_from_) {
    it.at = index(column / directions);
    it.direction = static_cast<Direction>(column % directions);
  } else if (column < switches_from_) {
    const std::size_t nic = (column - nics_from_) / directions;
    it.kind = ComponentKind::nic;
    it.at = index(nic / rails_);
    it.rail = index(nic % rails_);
    it.direction = static_cast<Direction>((column - nics_from_) % directions);
  } else if (column < cables_from_) {
    it.at = index(column - switches_from_);
    it.kind = switch_kinds_[it.at];
  } else if (column < links_from_) {
    it.at = index((column - cables_from_) / directions);
    it.kind = cable_kinds_[it.at];
    it.direction = static_cast<Direction>((column - cables_from_) % directions);
  } else if (column < sets_from_) {
    it.at = index((column - links_from_) / directions);
    it.kind = switch_kinds_[it.at] == ComponentKind::leaf ? ComponentKind::uplinks : ComponentKind::spine_links;
    it.direction = static_cast<Direction>((column - links_from_) % directions);
  } else {
    it.at = index(column - sets_from_);
    it.kind = ComponentKind::spines;
  }
  return it;
}

std::size_t Columns::column(const Component& it) const {
  switch (it.kind) {
    case ComponentKind::host:
      return directions * it.at + place(it.direction);
    case ComponentKind::nic:
      return nics_from_ + directions * (it.at * rails_ + it.rail) + place(it.direction);
    case ComponentKind::leaf:
    case ComponentKind::spine:
      return switches_from_ + it.at;
    case ComponentKind::uplink:
    case ComponentKind::spine_link:
      return cables_from_ + directions * it.at + place(it.direction);
    case ComponentKind::uplinks:
    case ComponentKind::spine_links:
      return links_from_ + directions * it.at + place(it.direction);
    case ComponentKind::spines:
      return sets_from_ + it.at;
  }
  return end_;
}

}  // namespace railgauge::validate

// Three columns for what has two ways (both, out, in), one for each switch and each set of switches. With one rail a NIC is the
// same as its host.
#include "bench/validate/method/columns.hpp"

#include <algorithm>

namespace railgauge::validate {
namespace {

constexpr std::size_t ways = 3;
constexpr std::size_t place(Way way) { return static_cast<std::size_t>(way); }

}  // namespace

Columns::Columns(const Fleet& fleet, const Samples& samples)
    : hosts_(fleet.hosts.size()),
      rails_(fleet.rails),
      switches_(fleet.switches.size()),
      cables_(fleet.cables.size()),
      nics_from_(ways * hosts_),
      switches_from_(nics_from_ + (rails_ > 1 ? ways * hosts_ * rails_ : 0)),
      cables_from_(switches_from_ + switches_),
      links_from_(cables_from_ + ways * cables_),
      sets_(!fleet.route &&
            std::any_of(fleet.switches.begin(), fleet.switches.end(), [](const Switch& it) { return it.above != npos; })) {
  sets_from_ = links_from_ + (sets_ ? ways * switches_ : 0);
  end_ = sets_from_ + (sets_ ? switches_ : 0);
  for (const Switch& it : fleet.switches) switch_parts_.push_back(it.tier == Tier::leaf ? Part::leaf : Part::spine);
  for (const Cable& it : fleet.cables)
    cable_parts_.push_back(fleet.switches[it.a].tier == Tier::leaf ? Part::uplink : Part::spine_link);
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
    const auto both_and = [&](std::size_t from, Way way) {
      take(from + place(Way::both), i);
      take(from + place(way), i);
    };
    both_and(ways * it.from, Way::out);
    both_and(ways * it.to, Way::in);
    if (rails_ > 1) {
      both_and(nics_from_ + ways * (it.from * rails_ + it.rail), Way::out);
      both_and(nics_from_ + ways * (it.to * rails_ + it.rail), Way::in);
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
        both_and(links_from_ + ways * sets.up.leaf, Way::out);
        both_and(links_from_ + ways * sets.down.leaf, Way::in);
        pass_set(sets.up.set);
        pass_set(sets.down.set);
      }
      if (sets.above) {
        both_and(links_from_ + ways * sets.up.set, Way::out);
        both_and(links_from_ + ways * sets.down.set, Way::in);
        pass_set(sets.up.top);
        pass_set(sets.down.top);
      }
    }
    if (!fleet.route) continue;
    hops.clear();
    fleet.route(it.from, it.to, it.rail, hops);
    for (const Hop& hop : hops) {
      both_and(cables_from_ + ways * hop.cable, hop.down ? Way::in : Way::out);
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
    it.at = index(column / ways);
    it.way = static_cast<Way>(column % ways);
  } else if (column < switches_from_) {
    const std::size_t nic = (column - nics_from_) / ways;
    it.part = Part::nic;
    it.at = index(nic / rails_);
    it.rail = index(nic % rails_);
    it.way = static_cast<Way>((column - nics_from_) % ways);
  } else if (column < cables_from_) {
    it.at = index(column - switches_from_);
    it.part = switch_parts_[it.at];
  } else if (column < links_from_) {
    it.at = index((column - cables_from_) / ways);
    it.part = cable_parts_[it.at];
    it.way = static_cast<Way>((column - cables_from_) % ways);
  } else if (column < sets_from_) {
    it.at = index((column - links_from_) / ways);
    it.part = switch_parts_[it.at] == Part::leaf ? Part::uplinks : Part::spine_links;
    it.way = static_cast<Way>((column - links_from_) % ways);
  } else {
    it.at = index(column - sets_from_);
    it.part = Part::spines;
  }
  return it;
}

std::size_t Columns::column(const Component& it) const {
  switch (it.part) {
    case Part::host:
      return ways * it.at + place(it.way);
    case Part::nic:
      return nics_from_ + ways * (it.at * rails_ + it.rail) + place(it.way);
    case Part::leaf:
    case Part::spine:
      return switches_from_ + it.at;
    case Part::uplink:
    case Part::spine_link:
      return cables_from_ + ways * it.at + place(it.way);
    case Part::uplinks:
    case Part::spine_links:
      return links_from_ + ways * it.at + place(it.way);
    case Part::spines:
      return sets_from_ + it.at;
  }
  return end_;
}

}  // namespace railgauge::validate

// The searches of bench/predict/routes/fabric.hpp.
#include "bench/predict/routes/fabric.hpp"

#include "base/statistics/draws.hpp"

namespace railgauge::predict {

std::uint64_t scatter(std::uint64_t value) { return compare::Draws(value).next(); }

Fabric::Fabric(const Incidence& incidence)
    : incidence_(incidence), spreader_(incidence), numbers_(incidence.network().vertices.size(), none) {
  for (std::uint32_t vertex = 0; vertex < numbers_.size(); ++vertex)
    if (incidence.is_switch(vertex)) numbers_[vertex] = switches_++;
}

Fabric::Search& Fabric::search(std::uint32_t to) {
  Search& search = searches_[to];
  if (search.distance.empty()) {
    search.distance.assign(switches_, too_far);
    search.distance[numbers_[to]] = 0;
    search.frontier = {to};
  }
  return search;
}

std::uint16_t Fabric::hops(std::uint32_t from, std::uint32_t to) {
  if (!incidence_.is_switch(from) || !incidence_.is_switch(to)) return too_far;
  Search& it = search(to);
  std::vector<std::uint32_t> next;
  while (distance(it, from) == too_far && !it.frontier.empty()) {
    ++it.depth;
    next.clear();
    for (const std::uint32_t at : it.frontier)
      for (const std::uint32_t arc : incidence_.arriving(at)) {
        const std::uint32_t before = incidence_.network().arcs[arc].from;
        if (!incidence_.is_switch(before) || it.distance[numbers_[before]] != too_far) continue;
        it.distance[numbers_[before]] = it.depth;
        next.push_back(before);
      }
    it.frontier = next;
  }
  return distance(it, from);
}

std::span<const Use> Fabric::all(std::uint32_t from, std::uint32_t to) {
  const auto [at, fresh] = all_.try_emplace((std::uint64_t{from} << 32U) | to);
  if (!fresh) return at->second;
  const std::uint16_t length = hops(from, to);
  const Search& it = search(to);
  if (length != too_far)
    spreader_.spread(
        from, length,
        [&](std::uint32_t arc, std::uint16_t left) { return distance(it, incidence_.network().arcs[arc].to) == left - 1; },
        at->second);
  held_ += at->second.size();
  return at->second;
}

void Fabric::one(std::uint32_t from, std::uint32_t to, std::uint64_t flow, std::vector<Use>& uses) {
  std::uint16_t left = hops(from, to);
  if (left == too_far) return;
  const Search& it = search(to);
  std::vector<std::uint32_t> choices;
  for (; left > 0; --left) {
    choices.clear();
    for (const std::uint32_t arc : incidence_.leaving(from))
      if (distance(it, incidence_.network().arcs[arc].to) == left - 1) choices.push_back(arc);
    const std::uint32_t arc = choices[scatter(flow ^ scatter(from)) % choices.size()];
    uses.push_back({arc, 1});
    from = incidence_.network().arcs[arc].to;
  }
}

void Fabric::forget() {
  all_.clear();
  held_ = 0;
}

}  // namespace railgauge::predict

// The searches of bench/predict/routes/inside.hpp: breadth first from the target, within one machine.
#include "bench/predict/routes/inside.hpp"

#include <algorithm>
#include <numeric>

namespace railgauge::predict {

Inside::Inside(const Incidence& incidence)
    : incidence_(incidence),
      spreader_(incidence),
      regions_(incidence.network().vertices.size()),
      distance_(incidence.network().vertices.size(), too_far) {
  std::iota(regions_.begin(), regions_.end(), 0U);
  const auto top = [&](std::uint32_t vertex) {
    while (regions_[vertex] != vertex) vertex = regions_[vertex] = regions_[regions_[vertex]];
    return vertex;
  };
  for (std::uint32_t arc = 0; arc < incidence.network().arcs.size(); ++arc) {
    if (incidence.of(arc) == ArcClass::cable) continue;
    const std::uint32_t a = top(incidence.network().arcs[arc].from);
    const std::uint32_t b = top(incidence.network().arcs[arc].to);
    regions_[std::max(a, b)] = std::min(a, b);
  }
  for (std::uint32_t vertex = 0; vertex < regions_.size(); ++vertex) regions_[vertex] = top(vertex);
}

void Inside::forget() {
  for (const std::uint32_t vertex : seen_) distance_[vertex] = too_far;
  seen_.clear();
}

bool Inside::search(std::uint32_t from, std::uint32_t to, ArcClass by, bool relayed, std::vector<Use>& uses) {
  distance_[to] = 0;
  seen_.push_back(to);
  for (std::size_t i = 0; i < seen_.size() && distance_[from] == too_far; ++i) {
    const std::uint32_t at = seen_[i];
    if (at != to && !relayed && incidence_.is_rank(at)) continue;  // it does not forward
    for (const std::uint32_t arc : incidence_.arriving(at)) {
      const std::uint32_t before = incidence_.network().arcs[arc].from;
      if (incidence_.of(arc) != by || distance_[before] != too_far) continue;
      distance_[before] = static_cast<std::uint16_t>(distance_[at] + 1);
      seen_.push_back(before);
    }
  }
  const bool found = distance_[from] != too_far;
  if (found)
    spreader_.spread(
        from, distance_[from],
        [&](std::uint32_t arc, std::uint16_t hops) {
          const std::uint32_t next = incidence_.network().arcs[arc].to;
          return incidence_.of(arc) == by && distance_[next] == hops - 1 && (next == to || relayed || !incidence_.is_rank(next));
        },
        uses);
  forget();
  return found;
}

Inside::Found Inside::between(std::uint32_t from, std::uint32_t to, bool relayed) {
  Found found;
  if (regions_[from] != regions_[to]) return found;
  for (const ArcClass by : {ArcClass::gpu, ArcClass::inside}) {
    found.by = by;
    if (search(from, to, by, relayed, found.uses)) break;
  }
  return found;
}

// The vertices, all equally far from the rank over PCIe and processors, from which cables lead on.
std::vector<std::uint32_t> Inside::nearest_with_cable(std::uint32_t rank) {
  std::vector<std::uint32_t> found;
  distance_[rank] = 0;
  seen_.push_back(rank);
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const std::uint32_t at = seen_[i];
    if (!found.empty() && distance_[at] > distance_[found.front()]) break;
    const auto arcs = incidence_.leaving(at);
    if (std::any_of(arcs.begin(), arcs.end(), [&](std::uint32_t arc) { return incidence_.of(arc) == ArcClass::cable; }))
      found.push_back(at);
    if (at != rank && incidence_.is_rank(at)) continue;
    for (const std::uint32_t arc : arcs) {
      const std::uint32_t next = incidence_.network().arcs[arc].to;
      if (incidence_.of(arc) != ArcClass::inside || distance_[next] != too_far) continue;
      distance_[next] = static_cast<std::uint16_t>(distance_[at] + 1);
      seen_.push_back(next);
    }
  }
  forget();
  return found;
}

std::vector<Attachment> Inside::attachments(std::uint32_t rank, Direction direction) {
  std::vector<Attachment> attachments;
  for (const std::uint32_t nic : nearest_with_cable(rank)) {
    std::vector<Use> uses;
    const bool out = direction == Direction::out;
    if (nic != rank && !search(out ? rank : nic, out ? nic : rank, ArcClass::inside, false, uses)) continue;
    for (const std::uint32_t arc : out ? incidence_.leaving(nic) : incidence_.arriving(nic)) {
      if (incidence_.of(arc) != ArcClass::cable) continue;
      const topo::Arc& cable = incidence_.network().arcs[arc];
      attachments.push_back({arc, out ? cable.to : cable.from, uses});
      attachments.back().uses.push_back({arc, 1});
    }
  }
  return attachments;
}

}  // namespace railgauge::predict

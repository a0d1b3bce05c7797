// How patterns of peers are found: bench/predict/rounds/pattern.hpp.
#include "bench/predict/rounds/pattern.hpp"

#include <algorithm>
#include <map>
#include <random>

namespace railgauge::predict {
namespace {

constexpr int drawn_samples = 6;

std::vector<std::int32_t> sample(const Shape& shape, std::int32_t most) {
  std::vector<std::int32_t> ranks;
  if (shape.ranks <= most) {
    for (std::int32_t rank = 0; rank < shape.ranks; ++rank) ranks.push_back(rank);
    return ranks;
  }
  const std::int32_t group = shape.ranks_per_node;
  ranks = {0, 1, group - 1, group, shape.ranks / 2, shape.ranks - 1};
  std::mt19937 random(1);
  for (int i = 0; i < drawn_samples; ++i)
    ranks.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(shape.ranks)));
  std::erase_if(ranks, [&](std::int32_t rank) { return rank >= shape.ranks; });
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

// The map that every sample's message `index` of `round` fits; nothing when there is none.
std::optional<PeerMap> map_of(const Sampled& it, const Shape& shape, std::size_t round, std::size_t index) {
  const std::int32_t rank = it.ranks.front();
  const std::int32_t peer = it.steps.front().messages_of(round)[index].peer;
  const std::int32_t group = shape.ranks_per_node;
  const std::int32_t ranks = shape.ranks;
  std::vector<PeerMap> maps = {{PeerMap::Kind::shift, (peer - rank + ranks) % ranks, ranks, 1}};
  if (group > 1 && ranks % group == 0 && peer / group == rank / group)
    maps.push_back({PeerMap::Kind::within, (peer - rank + group) % group, ranks, group});
  if ((ranks & (ranks - 1)) == 0) maps.push_back({PeerMap::Kind::flip, peer ^ rank, ranks, 1});
  for (const PeerMap& map : maps) {
    bool fits = true;
    for (std::size_t i = 0; i < it.ranks.size() && fits; ++i)
      fits = it.steps[i].messages_of(round)[index].peer == map.of(it.ranks[i]);
    if (fits) return map;
  }
  return std::nullopt;
}

bool same(const Amount& a, const Amount& b) { return a.numbering == b.numbering && a.count == b.count; }

// Whether the two rounds, of one rank or of two, are the same but for peers and places of blocks.
bool alike(const Steps& a, std::size_t in_a, const Steps& b, std::size_t in_b) {
  const auto messages = a.messages_of(in_a);
  const auto others = b.messages_of(in_b);
  const auto passes = a.passes_of(in_a);
  const auto other_passes = b.passes_of(in_b);
  return std::equal(messages.begin(), messages.end(), others.begin(), others.end(),
                    [](const Message& x, const Message& y) { return x.sends == y.sends && same(x.amount, y.amount); }) &&
         std::equal(passes.begin(), passes.end(), other_passes.begin(), other_passes.end(),
                    [](const Pass& x, const Pass& y) { return x.operands == y.operands && same(x.amount, y.amount); });
}

// The sends of a round; nothing where a receive of it has no send.
std::optional<Sends> sends_of(const Sampled& it, const Shape& shape, std::size_t round) {
  Sends sends;
  Sends receives;
  const auto messages = it.steps.front().messages_of(round);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::optional<PeerMap> map = map_of(it, shape, round, i);
    if (!map) return std::nullopt;
    (messages[i].sends ? sends : receives).push_back(messages[i].sends ? *map : map->inverse());
  }
  Sends sorted = sends;  // there may be as many as ranks
  std::sort(sorted.begin(), sorted.end());
  std::sort(receives.begin(), receives.end());
  return sorted == receives ? std::optional(sends) : std::nullopt;
}

}  // namespace

std::int32_t PeerMap::of(std::int32_t rank) const {
  switch (kind) {
    case Kind::shift:
      return static_cast<std::int32_t>((std::int64_t{rank} + by) % ranks);
    case Kind::within:
      return rank / group * group + (rank % group + by) % group;
    case Kind::flip:
      return rank ^ by;
  }
  return rank;
}

PeerMap PeerMap::inverse() const {
  PeerMap it = *this;
  if (kind == Kind::shift) it.by = (ranks - by) % ranks;
  if (kind == Kind::within) it.by = (group - by) % group;
  return it;
}

Sampled sample_steps(const Algorithm& algorithm, const Shape& shape, std::int32_t most) {
  Sampled it;
  it.all = shape.ranks <= most;
  it.ranks = sample(shape, most);
  Shape each = shape;
  for (const std::int32_t rank : it.ranks) {
    each.rank = rank;
    it.steps.push_back(steps_of(algorithm, each));
    it.rounds = std::max(it.rounds, it.steps.back().rounds());
  }
  return it;
}

std::optional<Regular> find_peers(const Sampled& sampled, const Shape& shape) {
  const Steps& first = sampled.steps.front();
  for (const Steps& other : sampled.steps) {
    if (other.rounds() != first.rounds()) return std::nullopt;
    for (std::size_t round = 0; round < first.rounds(); ++round)
      if (!alike(first, round, other, round)) return std::nullopt;
  }
  Regular it;
  std::map<Sends, std::size_t> places;  // of the patterns: of a pairwise exchange there are as many as ranks
  for (std::size_t round = 0; round < first.rounds(); ++round) {
    const std::optional<Sends> sends = sends_of(sampled, shape, round);
    if (!sends) return std::nullopt;
    const auto [place, added] = places.emplace(*sends, it.patterns.size());
    const std::size_t pattern = place->second;
    if (added) it.patterns.push_back(*sends);
    if (!it.stretches.empty() && it.stretches.back().pattern == pattern && alike(first, round - 1, first, round))
      ++it.stretches.back().count;
    else
      it.stretches.push_back({pattern, round, 1});
  }
  return it;
}

Regular side_by_side(Regular regular, std::int32_t group, std::int32_t groups) {
  for (Sends& sends : regular.patterns)
    for (PeerMap& map : sends) {
      map.ranks = group * groups;
      if (map.kind != PeerMap::Kind::shift) continue;
      map.kind = PeerMap::Kind::within;
      map.group = group;
    }
  return regular;
}

RoundBytes bytes_of(const Sampled& sampled, const Stretch& stretch, std::span<const Sizes> sizes) {
  RoundBytes result;
  for (std::size_t i = 0; i < sampled.steps.size(); ++i) {
    const Steps& steps = sampled.steps[i];
    for (std::size_t round = stretch.first; round < stretch.first + stretch.count; ++round) {
      std::size_t send = 0;
      for (const Message& message : steps.messages_of(round)) {
        if (!message.sends) continue;
        if (result.sends.size() <= send) result.sends.push_back(0);
        result.sends[send] = std::max(result.sends[send], sizes[i].bytes(message.amount));
        ++send;
      }
      result.moved = std::max(result.moved, moved(steps, sizes[i], round));
    }
  }
  return result;
}

}  // namespace railgauge::predict

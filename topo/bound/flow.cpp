// Levels by breadth-first search from the source, and paths that go one level on with each edge.
#include "topo/bound/flow.hpp"

#include <algorithm>
#include <limits>

namespace railgauge::topo {
namespace {

constexpr auto no_level = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::uint32_t Flow::add(std::uint32_t from, std::uint32_t to) {
  const auto number = static_cast<std::uint32_t>(halves_.size());
  halves_.push_back({to, 0});
  halves_.push_back({from, 0});
  out_[from].push_back(number);
  out_[to].push_back(number + 1);
  return number / 2;
}

void Flow::set(std::uint32_t edge, std::int64_t forward, std::int64_t back) {
  halves_[2 * std::size_t{edge}].left = forward;
  halves_[2 * std::size_t{edge} + 1].left = back;
}

bool Flow::find_levels(std::uint32_t from, std::uint32_t to) {
  std::fill(levels_.begin(), levels_.end(), no_level);
  levels_[from] = 0;
  open_.assign(1, from);
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const std::uint32_t at = open_[i];
    if (levels_[to] <= levels_[at]) break;
    for (const std::uint32_t half : out_[at]) {
      const Half& it = halves_[half];
      if (it.left <= 0 || levels_[it.to] != no_level) continue;
      levels_[it.to] = levels_[at] + 1;
      open_.push_back(it.to);
    }
  }
  return levels_[to] != no_level;
}

std::int64_t Flow::push_levels(std::uint32_t from, std::uint32_t to) {
  std::int64_t sum = 0;
  for (const std::uint32_t vertex : open_) next_[vertex] = 0;
  path_.clear();
  std::uint32_t at = from;
  for (;;) {
    if (at == to) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const std::uint32_t half : path_) least = std::min(least, halves_[half].left);
      std::size_t keep = path_.size();  // the path stays as far as its first edge that is full now
      for (std::size_t i = path_.size(); i-- > 0;) {
        halves_[path_[i]].left -= least;
        halves_[path_[i] ^ 1U].left += least;
        if (halves_[path_[i]].left == 0) keep = i;
      }
      sum += least;
      at = halves_[path_[keep] ^ 1U].to;
      path_.resize(keep);
      continue;
    }
    std::size_t& next = next_[at];
    while (next < out_[at].size()) {
      const Half& it = halves_[out_[at][next]];
      if (it.left > 0 && levels_[it.to] == levels_[at] + 1) break;
      ++next;
    }
    if (next < out_[at].size()) {
      path_.push_back(out_[at][next]);
      at = halves_[path_.back()].to;
      continue;
    }
    if (path_.empty()) return sum;
    at = halves_[path_.back() ^ 1U].to;  // a dead end
    path_.pop_back();
    ++next_[at];
  }
}

std::int64_t Flow::push(std::uint32_t from, std::uint32_t to) {
  std::int64_t sum = 0;
  while (find_levels(from, to)) sum += push_levels(from, to);
  return sum;
}

std::vector<bool> Flow::reachable(std::uint32_t from) const {
  std::vector<bool> seen(out_.size());
  std::vector<std::uint32_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t half : out_[at]) {
      const Half& it = halves_[half];
      if (seen[it.to] || it.left <= 0) continue;
      seen[it.to] = true;
      open.push_back(it.to);
    }
  }
  return seen;
}

}  // namespace railgauge::topo

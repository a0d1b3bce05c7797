// The lists behind bench/schedule/traffic.hpp.
#include "bench/schedule/traffic.hpp"

#include <algorithm>
#include <numeric>

#include "bench/schedule/pairing.hpp"

namespace railgauge {
namespace {

std::vector<Correspondence> window_with(std::int32_t peer, const Shape& shape) {
  std::vector<Correspondence> messages;
  for (std::uint32_t nth = 0; nth < shape.window; ++nth) messages.push_back({peer, nth});
  return messages;
}

// Each rank beginning with its successor, so that not all speak to rank 0 first.
std::vector<Correspondence> everyone_else(const Shape& shape) {
  std::vector<Correspondence> messages;
  for (std::int32_t step = 1; step < shape.ranks; ++step) messages.push_back({(shape.rank + step) % shape.ranks, 0});
  return messages;
}

// splitmix64: the same numbers from the same seed everywhere, which the standard's distributions do not promise.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t end) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((mixed ^ (mixed >> 31)) % end);
  }

 private:
  std::uint64_t state_;
};

// target[r] is whom rank r sends to: a random permutation of one cycle (S. Sattolo, An algorithm to generate a random cyclic
// permutation, 1986), so that nobody sends to itself.
std::vector<std::int32_t> random_cycle(std::int32_t ranks, std::uint64_t seed) {
  std::vector<std::int32_t> target(static_cast<std::size_t>(ranks));
  std::iota(target.begin(), target.end(), 0);
  Draw draw(seed);
  for (std::size_t last = target.size(); last > 1; --last) std::swap(target[last - 1], target[draw.below(last - 1)]);
  return target;
}

Traffic permuted(const Shape& shape) {
  const std::vector<std::int32_t> target = random_cycle(shape.ranks, shape.seed);
  const auto source = std::find(target.begin(), target.end(), shape.rank);
  return {{{target[static_cast<std::size_t>(shape.rank)], 0}}, {{static_cast<std::int32_t>(source - target.begin()), 0}}};
}

Traffic bisected(const Shape& shape) {
  const std::int32_t half = shape.ranks / 2;
  if (shape.rank >= 2 * half) return {};
  const Correspondence other{(shape.rank + half) % (2 * half), 0};
  return {{other}, {other}};
}

// In the order of the rounds, so that the k-th partner has block k.
Traffic paired(const Shape& shape) {
  Traffic result;
  const std::int32_t begin = shape.round < 0 ? 0 : shape.round;
  const std::int32_t end = shape.round < 0 ? pairing_rounds(shape.ranks) : shape.round + 1;
  for (std::int32_t round = begin; round < end; ++round) {
    const std::int32_t peer = partner(shape.ranks, shape.rank, round);
    if (peer == nobody) continue;
    if (sends_to(shape, peer)) result.to.push_back({peer, 0});
    if (receives_from(shape, peer)) result.from.push_back({peer, 0});
  }
  return result;
}

}  // namespace

bool is_pattern(Collective collective) noexcept {
  switch (collective) {
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs:
      return true;
    default:
      return false;
  }
}

Traffic traffic(Collective collective, const Shape& shape) {
  if (shape.ranks < 2) return {};
  const bool root = shape.rank == shape.root;
  Traffic result;
  switch (collective) {
    case Collective::stream: {
      const std::int32_t from = shape.directions == Directions::downward ? 1 : 0;
      if (shape.rank == from) result.to = window_with(1 - from, shape);
      if (shape.rank == 1 - from) result.from = window_with(from, shape);
      break;
    }
    case Collective::bidirectional:
      if (shape.rank < 2) result.to = result.from = window_with(1 - shape.rank, shape);
      break;
    case Collective::incast:
      (root ? result.from : result.to) = root ? everyone_else(shape) : std::vector<Correspondence>{{shape.root, 0}};
      break;
    case Collective::outcast:
      (root ? result.to : result.from) = root ? everyone_else(shape) : std::vector<Correspondence>{{shape.root, 0}};
      break;
    case Collective::permutation:
      return permuted(shape);
    case Collective::bisection:
      return bisected(shape);
    case Collective::pairs:
      return paired(shape);
    default:
      break;
  }
  return result;
}

bool takes_part(Collective collective, const Shape& shape) {
  if (collective == Collective::ping_pong) return shape.rank < 2;
  if (!is_pattern(collective)) return true;
  const Traffic messages = traffic(collective, shape);
  return !messages.to.empty() || !messages.from.empty();
}

std::uint32_t busiest_end(Collective collective, const Shape& shape) {
  switch (collective) {
    case Collective::stream:
    case Collective::bidirectional:
      return shape.window;
    case Collective::incast:
    case Collective::outcast:
      return static_cast<std::uint32_t>(std::max(1, shape.ranks - 1));
    case Collective::pairs:
      return shape.round < 0 ? static_cast<std::uint32_t>(std::max(1, shape.ranks - 1)) : 1;
    default:
      return 1;
  }
}

double time_share(Collective collective, const Shape& shape) {
  if (collective == Collective::ping_pong) return 0.5;
  const bool windowed = collective == Collective::stream || collective == Collective::bidirectional;
  return windowed ? 1.0 / shape.window : 1.0;
}

}  // namespace railgauge

// Tries a rate rank by rank; the flow that fills one rank is led on to the next, instead of beginning again.
#include "topo/bound/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "topo/bound/flow.hpp"

namespace railgauge::topo {
namespace {

// Sources, links and what leaves the ranks as one flow problem.
class Filling {
 public:
  explicit Filling(const Wires& wires)
      : wires_(wires),
        source_(wires.vertices),
        sink_(wires.vertices + 1),
        first_source_(static_cast<std::uint32_t>(wires.edges.size())),
        first_sink_(first_source_ + static_cast<std::uint32_t>(wires.ranks.size())),
        flow_(wires.vertices + 2) {
    for (const Wire& edge : wires.edges) flow_.add(edge.a, edge.b);
    for (const std::uint32_t rank : wires.ranks) flow_.add(source_, rank);
    for (const std::uint32_t rank : wires.ranks) flow_.add(rank, sink_);
  }

  // Whether every rank can receive all blocks at that rate. If not, `failed` is the place of the rank that cannot, and the set is
  // that of which too little leaves. Begins with rank `failed`.
  std::optional<std::vector<bool>> refute(const Fraction& rate, std::size_t& failed) {
    begin(rate);
    const std::size_t ranks = wires_.ranks.size();
    const auto wanted = static_cast<std::int64_t>(rate.numerator * ranks);
    std::uint32_t from = source_;
    for (std::size_t i = 0; i < ranks; ++i) {
      const std::size_t rank = (failed + i) % ranks;
      const std::uint32_t exit = first_sink_ + static_cast<std::uint32_t>(rank);
      flow_.set(exit, wanted, 0);
      if (flow_.push(from, sink_) < wanted) {
        failed = rank;
        std::vector<bool> set = flow_.reachable(from);
        set.resize(wires_.vertices);
        return set;
      }
      flow_.set(exit, 0, 0);
      if (from == source_)  // all blocks are in the network now
        for (std::size_t k = 0; k < ranks; ++k) flow_.set(first_source_ + static_cast<std::uint32_t>(k), 0, 0);
      from = wires_.ranks[rank];
    }
    return std::nullopt;
  }

 private:
  void begin(const Fraction& rate) {
    Wide all = Wide{rate.numerator} * wires_.ranks.size();
    for (std::size_t i = 0; i < wires_.edges.size(); ++i) {
      const Wire& edge = wires_.edges[i];
      all += (Wide{edge.forward} + edge.back) * rate.denominator;
      flow_.set(static_cast<std::uint32_t>(i), static_cast<std::int64_t>(edge.forward * rate.denominator),
                static_cast<std::int64_t>(edge.back * rate.denominator));
    }
    if (all > static_cast<Wide>(std::numeric_limits<std::int64_t>::max()))
      throw Error(Fault::usage, fmt::format("{} ranks and their links are more than exact arithmetic has room for: give --ranks",
                                            wires_.ranks.size()));
    for (std::size_t k = 0; k < wires_.ranks.size(); ++k) {
      flow_.set(first_source_ + static_cast<std::uint32_t>(k), static_cast<std::int64_t>(rate.numerator), 0);
      flow_.set(first_sink_ + static_cast<std::uint32_t>(k), 0, 0);
    }
  }

  const Wires& wires_;
  std::uint32_t source_, sink_, first_source_, first_sink_;  // vertices, and the first of the edges that lead from and to them
  Flow flow_;
};

Side side_of(const Wires& wires, std::vector<bool> in) {
  const std::uint64_t leaving = leaves(wires, in);
  return {std::move(in), leaving};
}

Fraction rate_of(const Wires& wires, const Side& side) {
  const auto inside = std::count_if(wires.ranks.begin(), wires.ranks.end(), [&](std::uint32_t rank) { return side.in[rank]; });
  return fraction(side.leaves, static_cast<std::uint64_t>(inside));
}

}  // namespace

Wires Wires::reversed() const {
  Wires other = *this;
  for (Wire& edge : other.edges) std::swap(edge.forward, edge.back);
  return other;
}

std::uint64_t leaves(const Wires& wires, const std::vector<bool>& in) {
  std::uint64_t sum = 0;
  for (const Wire& edge : wires.edges)
    if (in[edge.a] != in[edge.b]) sum += in[edge.a] ? edge.forward : edge.back;
  return sum;
}

GatherRate gather_rate(const Wires& wires) {
  // The first rate: of the sets of one rank, and of all but one.
  std::vector<std::uint64_t> into(wires.vertices), out(wires.vertices);
  for (const Wire& edge : wires.edges) {
    out[edge.a] += edge.forward;
    into[edge.b] += edge.forward;
    out[edge.b] += edge.back;
    into[edge.a] += edge.back;
  }
  GatherRate result;
  std::size_t failed = 0;
  for (std::size_t rank = 0; rank < wires.ranks.size(); ++rank) {
    const std::uint32_t at = wires.ranks[rank];
    for (const bool alone : {false, true}) {
      const Fraction rate = alone ? fraction(out[at], 1) : fraction(into[at], wires.ranks.size() - 1);
      if (!result.worst.in.empty() && !(rate < result.rate)) continue;
      result.rate = rate;
      result.worst.in.assign(wires.vertices, !alone);
      result.worst.in[at] = alone;
      result.worst.leaves = alone ? out[at] : into[at];
      failed = rank;
    }
  }
  Filling filling(wires);
  for (;;) {
    std::optional<std::vector<bool>> set = filling.refute(result.rate, failed);
    if (!set) return result;
    result.worst = side_of(wires, std::move(*set));
    result.rate = rate_of(wires, result.worst);
  }
}

void set_capacities(const Wires& wires, Flow& flow) {
  for (std::size_t i = 0; i < wires.edges.size(); ++i)
    flow.set(static_cast<std::uint32_t>(i), static_cast<std::int64_t>(wires.edges[i].forward),
             static_cast<std::int64_t>(wires.edges[i].back));
}

Side broadcast_cut(const Wires& wires, std::uint32_t root) {
  Flow flow(wires.vertices);
  for (const Wire& edge : wires.edges) flow.add(edge.a, edge.b);
  Side least;
  for (const std::uint32_t rank : wires.ranks) {
    if (rank == root) continue;
    set_capacities(wires, flow);
    const auto value = static_cast<std::uint64_t>(flow.push(root, rank));
    if (!least.in.empty() && value >= least.leaves) continue;
    least = {flow.reachable(root), value};
  }
  return least;
}

}  // namespace railgauge::topo

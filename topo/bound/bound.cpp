// Puts the rates and cuts of the network into the times of collectives.
#include "topo/bound/bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/bandwidth.hpp"
#include "base/error.hpp"
#include "topo/bound/parting.hpp"

namespace railgauge::topo {
namespace {

constexpr double bytes_of_megabyte = 1e6;
constexpr double megabytes_of_gigabyte = 1000;

double algbw_of(const Fraction& time) { return 1 / time.value() / megabytes_of_gigabyte; }

Wide common_divisor(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

Fraction sum(const Fraction& a, const Fraction& b) {
  const Wide numerator = Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator;
  const Wide denominator = Wide{a.denominator} * b.denominator;
  const Wide common = common_divisor(numerator, denominator);
  if (denominator / common > std::numeric_limits<std::uint64_t>::max())
    throw Error(Fault::usage, "the bandwidths of these links are more than exact arithmetic has room for: give --ranks");
  return {static_cast<std::uint64_t>(numerator / common), static_cast<std::uint64_t>(denominator / common)};
}

}  // namespace

double Bound::seconds(double bytes) const { return bytes / bytes_of_megabyte * time.value(); }
double Bound::algbw() const { return algbw_of(time); }
double Bound::busbw() const { return algbw() * bandwidth_factors(collective, static_cast<int>(ranks)).busbw; }
double Bound::reached_algbw() const { return reached ? algbw_of(*reached) : 0; }
double Bound::reached_busbw() const { return reached_algbw() * bandwidth_factors(collective, static_cast<int>(ranks)).busbw; }

bool has_bound(Collective collective) noexcept {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::all_to_all:
      return true;
    default:
      return false;
  }
}

Wires wires_of(const Network& network) {
  Wires wires;
  wires.vertices = static_cast<std::uint32_t>(network.vertices.size());
  wires.ranks = network.ranks;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
  for (const Arc& arc : network.arcs) {
    const auto [a, b] = std::minmax(arc.from, arc.to);
    const auto [at, fresh] = places.try_emplace({a, b}, wires.edges.size());
    if (fresh) wires.edges.push_back({a, b, 0, 0});
    Wire& edge = wires.edges[at->second];
    (arc.from == a ? edge.forward : edge.back) += arc.capacity;
  }
  return wires;
}

Bounds::Bounds(const Network& network)
    : network_(network),
      wires_(wires_of(network)),
      reversed_(wires_.reversed()),
      symmetric_(
          std::all_of(wires_.edges.begin(), wires_.edges.end(), [](const Wire& wire) { return wire.forward == wire.back; })) {}

const GatherRate& Bounds::gathering() {
  if (!gathering_) gathering_ = gather_rate(wires_);
  return *gathering_;
}

// Reduce-scatter is the all-gather of the reversed network.
const GatherRate& Bounds::scattering() {
  if (symmetric_) return gathering();
  if (!scattering_) scattering_ = gather_rate(reversed_);
  return *scattering_;
}

// Of all sets that part the ranks, the one that least leaves.
const Side& Bounds::narrowest() {
  if (!narrowest_) {
    narrowest_ = broadcast_cut(wires_, wires_.ranks.front());
    if (!symmetric_) {
      Side other = broadcast_cut(reversed_, wires_.ranks.front());
      if (other.leaves < narrowest_->leaves) {
        other.in.flip();  // what enters a set leaves the others
        narrowest_ = std::move(other);
      }
    }
  }
  return *narrowest_;
}

std::uint64_t Bounds::in_side(const Side& side) const {
  return static_cast<std::uint64_t>(
      std::count_if(network_.ranks.begin(), network_.ranks.end(), [&](std::uint32_t at) { return side.in[at]; }));
}

Cut Bounds::cut_of(const Side& side, bool reversed) const {
  Cut cut;
  cut.capacity = side.leaves;
  const bool fewer = 2 * in_side(side) <= network_.ranks.size();
  cut.into = fewer == reversed;
  for (std::size_t rank = 0; rank < network_.ranks.size(); ++rank)
    if (side.in[network_.ranks[rank]] == fewer) cut.ranks.push_back(static_cast<std::int32_t>(rank));
  for (const Arc& arc : network_.arcs) {
    const std::uint32_t from = reversed ? arc.to : arc.from;
    const std::uint32_t to = reversed ? arc.from : arc.to;
    if (side.in[from] && !side.in[to]) cut.links.push_back(arc.link);
  }
  std::sort(cut.links.begin(), cut.links.end());
  return cut;
}

Bound Bounds::rooted(Collective collective, std::uint32_t root) {
  const bool back = collective == Collective::reduce && !symmetric_;
  const Side side = broadcast_cut(back ? reversed_ : wires_, wires_.ranks[root]);
  Bound bound;
  bound.time = fraction(1, side.leaves);
  bound.reached = bound.time;
  bound.cut = cut_of(side, collective == Collective::reduce);
  return bound;
}

Bound Bounds::all_reduce() {
  const auto time_of = [&](const GatherRate& it) {
    return fraction(it.rate.denominator, it.rate.numerator * network_.ranks.size());
  };
  const Fraction gather = time_of(gathering());
  const Fraction scatter = time_of(scattering());
  const Fraction reduced = fraction(1, narrowest().leaves);  // each side sends the sum of its inputs
  Bound bound;
  bound.reached = sum(gather, scatter);
  bound.time = std::max({gather, scatter, reduced});
  bound.cut = bound.time == reduced  ? cut_of(narrowest(), false)
              : bound.time == gather ? cut_of(gathering().worst, false)
                                     : cut_of(scattering().worst, true);
  return bound;
}

Bound Bounds::all_to_all() {
  const Side worst = worst_parting(wires_);
  const std::uint64_t ranks = network_.ranks.size();
  const std::uint64_t inside = in_side(worst);
  Bound bound;
  bound.time = fraction(inside * (ranks - inside), worst.leaves * ranks);
  bound.cut = cut_of(worst, false);
  return bound;
}

Bound Bounds::of(Collective collective, std::uint32_t root) {
  if (!has_bound(collective)) throw Error(Fault::usage, fmt::format("no bound of {} is known", name(collective)));
  if (network_.ranks.size() < 2) throw Error(Fault::usage, "one rank alone sends nothing: a bound needs at least two");
  if (root >= network_.ranks.size())
    throw Error(Fault::usage, fmt::format("there is no rank {} for the root: there are {}", root, network_.ranks.size()));
  Bound bound;
  switch (collective) {
    case Collective::all_reduce:
      bound = all_reduce();
      break;
    case Collective::all_to_all:
      bound = all_to_all();
      break;
    case Collective::broadcast:
    case Collective::reduce:
      bound = rooted(collective, root);
      break;
    default: {
      const bool scatter = collective == Collective::reduce_scatter;
      const GatherRate& it = scatter ? scattering() : gathering();
      bound.time = fraction(it.rate.denominator, it.rate.numerator * network_.ranks.size());
      bound.reached = bound.time;
      bound.cut = cut_of(it.worst, scatter);
    }
  }
  bound.collective = collective;
  bound.ranks = static_cast<std::uint32_t>(network_.ranks.size());
  return bound;
}

}  // namespace railgauge::topo

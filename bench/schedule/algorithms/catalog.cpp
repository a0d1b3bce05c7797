// The rows of bench/schedule/algorithms/catalog.hpp. The formulas of cost are explained in docs/schedules.md.
#include "bench/schedule/algorithms/catalog.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/layout.hpp"

namespace railgauge {

// The builders, each in the file of its family. A new one is a name here and a row below.
using Builder = Schedule(const Shape&);
namespace builders {
Builder ring_all_reduce, ring_reduce_scatter, ring_all_gather, ring_broadcast;  // ring.cpp
Builder recursive_doubling_all_reduce, recursive_doubling_all_gather;           // doubling.cpp
Builder halving_doubling_all_reduce, recursive_halving_reduce_scatter;          // halving.cpp
Builder binomial_all_reduce, binomial_broadcast, binomial_reduce;               // tree.cpp
Builder scatter_all_gather_broadcast, binomial_gather, binomial_scatter;        // subtree.cpp
Builder one_shot_all_reduce, two_shot_all_reduce, direct_reduce_scatter, direct_all_gather, direct_broadcast, direct_reduce,
    direct_gather, direct_scatter, direct_all_to_all;                    // direct.cpp
Builder pairwise_reduce_scatter, pairwise_all_to_all;                    // pairwise.cpp
Builder bruck_all_gather, bruck_all_to_all;                              // bruck.cpp
Builder hierarchical_all_reduce;                                         // hierarchical.cpp
Builder hypercube;                                                       // hypercube.cpp
Builder dissemination_barrier, recursive_doubling_barrier;               // barrier.cpp
Builder ring_shift, ping_pong, one_way_pairs, two_way_pairs;             // pairs.cpp
Builder stream, bidirectional, incast, outcast, permutation, bisection;  // patterns.cpp
[[nodiscard]] std::uint32_t ring_broadcast_blocks(std::int32_t ranks);
}  // namespace builders

namespace {

using phases::ceiling_log2;
using phases::fold;

std::string any(const Shape&) { return {}; }
std::string power_of_two(const Shape& shape) {
  if (phases::is_power_of_two(shape.ranks)) return {};
  return "needs a power of two of ranks, and " + std::to_string(shape.ranks) + " is none";
}
std::string two_ranks(const Shape& shape) {
  return shape.ranks >= 2 ? std::string() : "needs at least 2 ranks, and there is " + std::to_string(shape.ranks);
}
std::string several_nodes(const Shape& shape) {
  const std::string per_node = std::to_string(shape.ranks_per_node);
  const std::string ranks = std::to_string(shape.ranks);
  if (shape.ranks_per_node < 2) return "needs at least 2 ranks on each node, and there is " + per_node;
  if (shape.ranks % shape.ranks_per_node != 0) return per_node + " ranks a node do not divide " + ranks + " ranks";
  if (shape.ranks == shape.ranks_per_node) return "needs more than one node, and all " + ranks + " ranks are on one";
  return {};
}

double ranks(const Shape& shape) { return shape.ranks; }
double share(const Shape& shape) { return (ranks(shape) - 1) / ranks(shape); }  // all blocks but one
double log_up(const Shape& shape) { return ceiling_log2(shape.ranks); }
double sent_if_many(const Shape& shape, double bytes) { return shape.ranks > 1 ? bytes : 0; }
double one_round(const Shape& shape) { return sent_if_many(shape, 1); }
// 1 where a rank stands for two.
double folds(const Shape& shape) { return fold(shape.ranks).extra > 0 ? 1 : 0; }
double participants(const Shape& shape) { return fold(shape.ranks).power; }
double log_down(const Shape& shape) { return phases::floor_log2(shape.ranks); }

// The largest subtree below the root of a binomial tree.
double largest_subtree(const Shape& shape) {
  std::int32_t largest = 0;
  for (std::int32_t width = 1; width < shape.ranks; width *= 2) largest = std::max(largest, std::min(width, shape.ranks - width));
  return largest;
}

// Blocks that one rank of Bruck's all-to-all sends: place i travels once for each bit of i.
double bruck_blocks(const Shape& shape) {
  std::int32_t blocks = 0;
  for (std::int32_t place = 1; place < shape.ranks; ++place)
    for (std::int32_t rest = place; rest != 0; rest &= rest - 1) ++blocks;
  return blocks;
}

// all_to_all_v: all but its own block of the rank that sends most to others.
double uneven_share(const Shape& shape) {
  constexpr std::uint64_t plenty = std::uint64_t{1} << 40;
  const std::uint64_t elements = used_elements(Collective::all_to_all_v, shape.ranks, plenty);
  std::uint64_t most = 0;
  Shape other = shape;
  for (other.rank = 0; other.rank < shape.ranks; ++other.rank) {
    const BlockSizes sizes = divide(Collective::all_to_all_v, other, static_cast<std::uint32_t>(shape.ranks), plenty);
    const std::uint64_t sum = std::accumulate(sizes.input.begin(), sizes.input.end(), std::uint64_t{0});
    most = std::max<std::uint64_t>(most, sum - sizes.input[static_cast<std::size_t>(other.rank)]);
  }
  return static_cast<double>(most) / static_cast<double>(elements);
}

Cost once(const Shape& shape) { return {one_round(shape), share(shape)}; }
Cost stepwise(const Shape& shape) { return {ranks(shape) - 1, share(shape)}; }
Cost logarithmic(const Shape& shape) { return {log_up(shape), share(shape)}; }
Cost tree(const Shape& shape) { return {log_up(shape), log_up(shape)}; }
Cost no_bytes(double rounds) { return {rounds, 0}; }

constexpr std::string_view patarasuk =
    "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009";
constexpr std::string_view thakur =
    "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH, 2005";
constexpr std::string_view rabenseifner = "Rabenseifner, Optimization of Collective Reduction Operations, 2004";
constexpr std::string_view pjesivac = "Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, 2007";
constexpr std::string_view karonis =
    "Karonis et al., Exploiting Hierarchy in Parallel Computer Networks to Optimize Collective Operation Performance, 2000";
constexpr std::string_view bruck =
    "Bruck et al., Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems, 1997";
constexpr std::string_view barnett = "Barnett et al., Interprocessor Collective Communication Library (InterCom), 1994";
constexpr std::string_view seitz = "Seitz, The Cosmic Cube, 1985";
constexpr std::string_view hensgen = "Hensgen, Finkel, Manber, Two Algorithms for Barrier Synchronization, 1988";
constexpr std::string_view hockney = "Hockney, The communication challenge for MPP: Intel Paragon and Meiko CS-2, 1994";
constexpr std::string_view liu =
    "Liu et al., Performance Comparison of MPI Implementations over InfiniBand, Myrinet and Quadrics, 2003";
constexpr std::string_view phanishayee =
    "Phanishayee et al., Measurement and Analysis of TCP Throughput Collapse in Cluster-based Storage Systems, 2008";
constexpr std::string_view sattolo = "Sattolo, An Algorithm to Generate a Random Cyclic Permutation, 1986";
constexpr std::string_view dally = "Dally, Towles, Principles and Practices of Interconnection Networks, 2004";
constexpr std::string_view kirkman = "Kirkman, On a Problem in Combinations, 1847";

constexpr bool equal = true, unequal = false;   // Algorithm::equal_blocks
constexpr bool in_place = true, apart = false;  // Algorithm::in_place

using C = Collective;
namespace b = builders;

const std::array rows{
    // all_reduce
    Algorithm{"ring", C::all_reduce, "reduce-scatter and all-gather around a ring", patarasuk, unequal, in_place,
              b::ring_all_reduce, any, [](const Shape& s) { return Cost{2 * (ranks(s) - 1), 2 * share(s)}; }},
    Algorithm{"recursive_doubling", C::all_reduce, "exchanges of everything between ranks 1, 2, 4... apart", thakur, unequal,
              in_place, b::recursive_doubling_all_reduce, any,
              [](const Shape& s) { return Cost{log_down(s) + 2 * folds(s), log_down(s) + folds(s)}; }},
    Algorithm{"halving_doubling", C::all_reduce, "reduce-scatter by halving, all-gather by doubling", rabenseifner, unequal,
              in_place, b::halving_doubling_all_reduce, any,
              [](const Shape& s) {
                return Cost{2 * log_down(s) + 2 * folds(s), 2 * (participants(s) - 1) / participants(s) + folds(s)};
              }},
    Algorithm{"binomial", C::all_reduce, "reduce to rank 0 and broadcast, over a binomial tree", thakur, unequal, in_place,
              b::binomial_all_reduce, any, [](const Shape& s) { return Cost{2 * log_up(s), log_up(s)}; }},
    Algorithm{"one_shot", C::all_reduce, "every rank sends everything to every other and reduces by itself", pjesivac, unequal,
              in_place, b::one_shot_all_reduce, any, [](const Shape& s) { return Cost{one_round(s), ranks(s) - 1}; }},
    Algorithm{"two_shot", C::all_reduce, "direct reduce-scatter, then direct all-gather", pjesivac, unequal, in_place,
              b::two_shot_all_reduce, any, [](const Shape& s) { return Cost{2 * one_round(s), 2 * share(s)}; }},
    Algorithm{"hierarchical", C::all_reduce, "rings within each node and between the nodes", karonis, unequal, in_place,
              b::hierarchical_all_reduce, several_nodes,
              [](const Shape& s) {
                const double within = s.ranks_per_node;
                const double nodes = ranks(s) / within;
                return Cost{2 * (within - 1) + 2 * (nodes - 1), 2 * (within - 1) / within + 2 * (nodes - 1) / ranks(s)};
              }},
    // reduce_scatter
    Algorithm{"ring", C::reduce_scatter, "partial sums travel around a ring", patarasuk, unequal, in_place,
              b::ring_reduce_scatter, any, stepwise},
    Algorithm{"direct", C::reduce_scatter, "every rank sends each other its block at once", pjesivac, unequal, in_place,
              b::direct_reduce_scatter, any, once},
    Algorithm{"pairwise", C::reduce_scatter, "every rank sends each other its block, one peer a round", thakur, unequal, in_place,
              b::pairwise_reduce_scatter, any, stepwise},
    Algorithm{"recursive_halving", C::reduce_scatter, "exchanges of halves, quarters... between ranks n/2, n/4... apart",
              rabenseifner, equal, in_place, b::recursive_halving_reduce_scatter, power_of_two, logarithmic},
    // all_gather
    Algorithm{"ring", C::all_gather, "blocks travel around a ring", patarasuk, unequal, in_place, b::ring_all_gather, any,
              stepwise},
    Algorithm{"direct", C::all_gather, "every rank sends its block to every other at once", pjesivac, unequal, in_place,
              b::direct_all_gather, any, once},
    Algorithm{"recursive_doubling", C::all_gather, "exchanges of 1, 2, 4... blocks between ranks as far apart", thakur, unequal,
              in_place, b::recursive_doubling_all_gather, power_of_two, logarithmic},
    Algorithm{"bruck", C::all_gather, "hands over 1, 2, 4... blocks, then rotates them", bruck, equal, in_place,
              b::bruck_all_gather, any, logarithmic},
    // broadcast
    Algorithm{"binomial", C::broadcast, "the ranks that have the data double each round", thakur, unequal, in_place,
              b::binomial_broadcast, any, tree},
    Algorithm{"ring", C::broadcast, "blocks in a pipeline along a chain of ranks", patarasuk, unequal, in_place,
              b::ring_broadcast, any,
              [](const Shape& s) {
                const double through = s.ranks > 2 ? 1 : 0;
                return Cost{sent_if_many(s, b::ring_broadcast_blocks(s.ranks) + through), one_round(s)};
              }},
    Algorithm{"direct", C::broadcast, "the root sends to every other rank at once", pjesivac, unequal, in_place,
              b::direct_broadcast, any, [](const Shape& s) { return Cost{one_round(s), ranks(s) - 1}; }},
    Algorithm{"scatter_all_gather", C::broadcast, "binomial scatter, then all-gather around a ring", barnett, unequal, in_place,
              b::scatter_all_gather_broadcast, any, [](const Shape& s) { return Cost{log_up(s) + ranks(s) - 1, 2 * share(s)}; }},
    // reduce
    Algorithm{"binomial", C::reduce, "partial sums flow down a binomial tree", thakur, unequal, in_place, b::binomial_reduce, any,
              [](const Shape& s) { return Cost{log_up(s), one_round(s)}; }},
    Algorithm{"direct", C::reduce, "every rank sends to the root, which reduces", pjesivac, unequal, in_place, b::direct_reduce,
              any, [](const Shape& s) { return Cost{one_round(s), one_round(s)}; }},
    // gather
    Algorithm{"direct", C::gather, "every rank sends to the root", pjesivac, unequal, in_place, b::direct_gather, any,
              [](const Shape& s) { return Cost{one_round(s), sent_if_many(s, 1 / ranks(s))}; }},
    Algorithm{"binomial", C::gather, "blocks are collected down a binomial tree", thakur, equal, in_place, b::binomial_gather,
              any, [](const Shape& s) { return Cost{log_up(s), largest_subtree(s) / ranks(s)}; }},
    // scatter
    Algorithm{"direct", C::scatter, "the root sends each rank its block", pjesivac, unequal, in_place, b::direct_scatter, any,
              once},
    Algorithm{"binomial", C::scatter, "blocks are handed out up a binomial tree", thakur, equal, in_place, b::binomial_scatter,
              any, logarithmic},
    // all_to_all
    Algorithm{"direct", C::all_to_all, "all blocks at once", pjesivac, unequal, apart, b::direct_all_to_all, any, once},
    Algorithm{"pairwise", C::all_to_all, "one peer a round", thakur, unequal, apart, b::pairwise_all_to_all, any, stepwise},
    Algorithm{"bruck", C::all_to_all, "blocks packed and passed on by the bits of their distance", bruck, equal, apart,
              b::bruck_all_to_all, any, [](const Shape& s) { return Cost{log_up(s), bruck_blocks(s) / ranks(s)}; }},
    // all_to_all_v
    Algorithm{"direct", C::all_to_all_v, "all blocks at once", pjesivac, unequal, apart, b::direct_all_to_all, any,
              [](const Shape& s) { return Cost{one_round(s), uneven_share(s)}; }},
    Algorithm{"pairwise", C::all_to_all_v, "one peer a round", thakur, unequal, apart, b::pairwise_all_to_all, any,
              [](const Shape& s) { return Cost{ranks(s) - 1, uneven_share(s)}; }},
    // pairs, hypercube, barrier
    Algorithm{"ring_shift", C::send_receive, "every rank sends to the next and receives from the one before", hockney, unequal,
              apart, b::ring_shift, any, [](const Shape& s) { return Cost{one_round(s), one_round(s)}; }},
    Algorithm{"hypercube", C::hypercube, "all-gather by exchanges along the dimensions of a hypercube", seitz, unequal, in_place,
              b::hypercube, power_of_two, logarithmic},
    Algorithm{"dissemination", C::barrier, "round k tells the rank 2^k further on", hensgen, unequal, apart,
              b::dissemination_barrier, any, [](const Shape& s) { return no_bytes(log_up(s)); }},
    Algorithm{"recursive_doubling", C::barrier, "exchanges between ranks 1, 2, 4... apart", thakur, unequal, apart,
              b::recursive_doubling_barrier, any, [](const Shape& s) { return no_bytes(log_down(s) + 2 * folds(s)); }},
    Algorithm{"ping_pong", C::ping_pong, "rank 0 sends, rank 1 answers, the others stand idle", hockney, unequal, apart,
              b::ping_pong, two_ranks, [](const Shape&) { return Cost{2, 1}; }},
    // patterns
    Algorithm{"window", C::stream, "--window messages in flight together, then the next window", liu, unequal, apart, b::stream,
              two_ranks, [](const Shape& s) { return Cost{1, double(s.window)}; }},
    Algorithm{"window", C::bidirectional, "--window messages in flight in each direction, then the next", liu, unequal, apart,
              b::bidirectional, two_ranks, [](const Shape& s) { return Cost{1, double(s.window)}; }},
    Algorithm{"direct", C::incast, "all at once", phanishayee, unequal, apart, b::incast, two_ranks,
              [](const Shape&) { return Cost{1, 1}; }},
    Algorithm{"direct", C::outcast, "all at once", pjesivac, unequal, apart, b::outcast, two_ranks,
              [](const Shape& s) { return Cost{1, ranks(s) - 1}; }},
    Algorithm{"random_cycle", C::permutation, "one cycle through all ranks, drawn from --seed", sattolo, unequal, apart,
              b::permutation, two_ranks, [](const Shape&) { return Cost{1, 1}; }},
    Algorithm{"halves", C::bisection, "rank r and rank r + n/2, in both directions", dally, unequal, apart, b::bisection,
              two_ranks, [](const Shape&) { return Cost{1, 1}; }},
    Algorithm{"one_way", C::pairs, "rounds of disjoint pairs, first one direction, then the other", kirkman, unequal, apart,
              b::one_way_pairs, two_ranks, [](const Shape& s) { return Cost{2 * (ranks(s) - 1), ranks(s) - 1}; }},
    Algorithm{"two_way", C::pairs, "rounds of disjoint pairs, both directions at once", kirkman, unequal, apart, b::two_way_pairs,
              two_ranks, [](const Shape& s) { return Cost{ranks(s) - 1, ranks(s) - 1}; }},
};

}  // namespace

std::span<const Algorithm> catalog() noexcept { return rows; }

const Algorithm* find_algorithm(Collective collective, std::string_view name) noexcept {
  const auto* found = std::find_if(rows.begin(), rows.end(),
                                   [&](const Algorithm& row) { return row.collective == collective && row.name == name; });
  return found == rows.end() ? nullptr : found;
}

std::string Algorithm::why_not(const Shape& shape) const {
  if (stored == nullptr) return refusal(shape);
  if (stored->ranks.size() != static_cast<std::size_t>(shape.ranks))
    return "its schedules are for " + std::to_string(stored->ranks.size()) + " ranks, and there are " +
           std::to_string(shape.ranks);
  if (row(collective).rooted && stored->root != shape.root)
    return "its schedules are for root " + std::to_string(stored->root) + ", and the root is " + std::to_string(shape.root);
  return {};
}

}  // namespace railgauge

// What each host can send and receive, whatever its partners can: a transfer is as fast as the slower of its two ends. No share
// of the hosts decides what is usual: two good hosts among any number of slow ones show it (docs/validate-method.md).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

// One host with several others at the same time: incast where it receives (Direction::in), outcast where it sends
// (Direction::out). Together they are as fast as the slower of it and all of them, so that it shows what it can do even among
// slow partners.
struct Cast {
  Index host = 0, rail = 0, round = 0;
  Direction direction = Direction::out;
  std::vector<Index> partners;
  double gigabytes_per_second = 0;  // of all partners together
};

// The capacity of a host's port in one direction.
struct Capacity {
  double log = 0;      // natural logarithm of GB/s, less what is usual for the distance where distances differ; NaN: not measured
  double error = 0;    // its standard error
  Index measured = 0;  // transfers and casts in which this port was the slower end, or no faster than the other
  bool least = false;  // it may be more: all partners were slower
};

struct Capacities {
  std::vector<Capacity> send, receive;  // by host
  std::array<double, 4> distances{};    // by Distance: what each is off the fastest, as a logarithm: 0 or negative
  double scatter = 0;                   // standard deviation of one transfer around the slower of its ends, as a logarithm
  // Share of transfers that are far slower than their ends, which others have shown to be faster.
  double unexplained = 0;
  double unexplained_slower = 0;  // by what share those are slower, in the median
};

// Fits the capacities of one rail. `samples` may be of all rails; casts too.
[[nodiscard]] Capacities capacities_of(const Fleet& fleet, const Samples& samples, std::span<const Cast> casts, Index rail);

// Hosts of one model whose capacities are alike in one direction; the fastest group first.
struct Group {
  std::string model;
  Direction direction = Direction::out;  // out or in
  double log = 0;                        // median of their capacities
  std::vector<Index> hosts;
};
struct GroupingOptions {
  double least_gap = 0.04;    // as a share: groups that differ by less are one
  double least_scatters = 2;  // deviations of one transfer
  double least_errors = 6;    // standard errors that a gap has at least
};
// Splits hosts where their capacities, in order, leave a gap, or are two heaps. Hosts that were not measured are in no group; one
// of which only the least is known is in the group of that.
[[nodiscard]] std::vector<Group> groups_of(const Fleet& fleet, const Capacities& capacities, const GroupingOptions& options = {});

// Draws rounds of casts: in each, disjoint sets of one host and `partners` others (fewer where there are not enough hosts), and
// after all of them each of `hosts` was the one. Partners are taken from `preferred` first, one for each set, and else at random.
struct CastSet {
  Index host = 0;
  std::vector<Index> partners;
};
[[nodiscard]] std::vector<std::vector<CastSet>> cast_rounds(std::span<const Index> all, std::span<const Index> hosts,
                                                            std::span<const Index> preferred, std::uint64_t seed,
                                                            std::size_t partners = 3);

}  // namespace railgauge::validate

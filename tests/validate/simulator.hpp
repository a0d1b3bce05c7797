// A fleet on a fat tree with faults, and what measuring it would say: docs/validate-method.md has the figures of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/statistics/draws.hpp"
#include "bench/validate/method/capacity.hpp"
#include "bench/validate/method/fleet.hpp"

namespace railgauge::test {

using compare::Draws;
using validate::Index;

// Three tiers: each rail is a plane of its own with leaves, spines in every pod, and cores that join the pods. Routes go by the
// destination, as a subnet manager sets them.
struct FatTree {
  Index pods = 4, leaves = 2, hosts = 16;  // leaves of a pod and rail, hosts of a leaf
  Index spines = 16, cores = 2;            // spines of a pod and rail, cores of a spine
  Index rails = 8;
  bool routes_known = true, leaves_known = true;
  bool paths_anew = false;  // each flow takes any of the paths; no route is known then
  // Every second_class-th host is of another model, whose ports carry that share of the others'; 0: all are alike.
  Index second_class = 0;
  double second_carries = 0.5;
  [[nodiscard]] bool of_second_class(Index host) const { return second_class > 0 && host % second_class == 0; }
  [[nodiscard]] Index all_hosts() const { return pods * leaves * hosts; }
  [[nodiscard]] Index leaf(Index rail, Index pod, Index number) const { return (rail * pods + pod) * leaves + number; }
  [[nodiscard]] Index uplink(Index rail, Index pod, Index number, Index spine) const;
  [[nodiscard]] Index spine_link(Index rail, Index pod, Index spine, Index core) const;
  [[nodiscard]] validate::Route route() const;
  // Through that spine and core.
  void path(Index from, Index to, Index rail, Index spine, Index core, std::vector<validate::Hop>& hops) const;
};
[[nodiscard]] validate::Fleet fleet_of(const FatTree& shape);
inline FatTree tree_of_128() { return {}; }
inline FatTree tree_of_2048() { return {16, 8, 16, 16, 8, 8, true, true}; }

struct Fault {
  validate::Component component;
  double slower = 0;  // as a share
  double often = 1;   // of pairs and repeats that pass it, drawn for each
};

struct Noise {
  double deviation = 0.015;
  double shared = 0;  // share of its variance that all rails and both directions of a pair have in common in a round
  double disturbed = 0.03, least_drop = 0.05, most_drop = 0.20;
  bool disturbed_together = false;  // all of a pair in a round, else each measurement alone
  double hosts_differ = 0;          // standard deviation of hosts around each other
  Index repeats = 1;                // figures of each pair, direction, rail and round
};

class Simulator {
 public:
  Simulator(const FatTree& shape, std::vector<Fault> faults, const Noise& noise, std::uint64_t seed);
  // Data passes the slowest component of its path.
  [[nodiscard]] std::vector<validate::Measurement> measure(const validate::Round& round, Index number);
  // One host with several at the same time, receiving and sending, on all rails: faults of hosts alone are felt.
  [[nodiscard]] std::vector<validate::Cast> cast(const validate::CastSet& set, Index number);
  [[nodiscard]] double figure(Index from, Index to, Index rail, Index number);  // of one measurement alone: GB/s
  [[nodiscard]] double group_figure(std::span<const Index> hosts);              // of a collective of all of them
  // What faults leave of the bandwidth. `felt` says which of them are, of those that are not always.
  [[nodiscard]] double share(Index from, Index to, Index rail, const std::vector<bool>& felt);
  [[nodiscard]] const validate::Fleet& fleet() const { return fleet_; }
  Draws& draws() { return draws_; }
  static constexpr double usual = 48;  // GB/s of one port

 private:
  std::vector<bool> draw_felt();

  FatTree shape_;
  validate::Fleet fleet_;
  validate::Route route_;
  std::vector<validate::Hop> hops_;
  std::vector<Fault> faults_;
  Noise noise_;
  Draws draws_, cast_draws_;  // casts have their own, so that pairs are the same with and without them
  // Of a host's port, as a share.
  [[nodiscard]] double carries(Index host) const { return shape_.of_second_class(host) ? shape_.second_carries : 1; }

  std::vector<double> levels_;  // of hosts, as logarithms
};

}  // namespace railgauge::test

// Validations of simulated fleets, many of a kind, and how often they are right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/standing.hpp"
#include "tests/validate/simulator.hpp"

namespace railgauge::test {

// One validation from the plan to the findings.
struct Validation {
  std::vector<validate::Suspect> suspects;
  std::vector<validate::Finding> findings;
  std::vector<validate::Slow> slow;  // of groups, and confirmed
  Index rounds = 0, confirmation_rounds = 0;
};
[[nodiscard]] Validation validate_once(Simulator& simulator, Index rounds, std::uint64_t seed);

// Many of them, with faults that are drawn anew for each.
struct Tally {
  int runs = 0;
  int faults = 0, found = 0;  // found: faulty, by the right name
  int false_suspects = 0;     // before confirmation
  int falsely_named = 0;      // after it
  double confirmation_rounds = 0;
  [[nodiscard]] double power() const { return faults > 0 ? static_cast<double>(found) / faults : 1; }
  [[nodiscard]] double false_a_run() const { return static_cast<double>(falsely_named) / runs; }
};
enum class Kind : std::uint8_t {
  nothing,
  two_hosts,
  host_sends,
  host_receives,
  nic,
  leaf,
  uplink,
  spine_link,
  // Named as one of a set.
  one_of_uplinks,
  one_of_spines,
  one_of_spine_links,
  // Hosts: sending, receiving or both.
  one_any_direction,
  two_any_direction,
  share_of_hosts,  // Campaign::share of all hosts, one at least and all but one at most
  stopped_at_times,
  flapping_spine_link  // a third of what passes it is slow
};
[[nodiscard]] std::vector<Fault> draw_faults(const FatTree& shape, Kind kind, double slower, Draws& draws, double share = 0);

struct Campaign {
  const char* name = "";
  FatTree shape;
  Kind kind = Kind::nothing;
  double slower = 0;
  Noise noise;
  Index rounds = 8;
  double share = 0;
};
// Prints a line with the seed.
Tally run(const Campaign& campaign, int runs, std::uint64_t seed);

}  // namespace railgauge::test

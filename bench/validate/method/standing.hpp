// How hosts stand: beside what their links should carry, and beside each other, whatever share of them is slow. What is found
// here is of hosts and their ports; what lies between them is for localise() to find.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/capacity.hpp"
#include "bench/validate/method/diagnosis.hpp"

namespace railgauge::validate {

// What one direction of a host's port should carry.
struct Level {
  double least = 0;             // GB/s: less is a finding; 0: nothing is known
  double full = 0;              // GB/s that the link has
  bool may_fall_short = false;  // less is no finding, since a processor may be what limits it: it is only not verified then
  std::string source;           // "port rate 400 Gb/s", "--expect pair=45"
};
// By host and rail. Two hosts should carry what the lower of their two levels says.
using Levels = std::vector<std::vector<Level>>;

// A host's port that is too slow in one direction or both.
struct Slow {
  Index host = 0, rail = 0;
  Direction direction = Direction::both;
  double carries = 0;     // GB/s, of the slower direction
  double reference = 0;   // GB/s that it should carry
  bool by_level = false;  // the reference is a level, else what the fastest group of hosts carries
  std::size_t group = 0;  // hosts of that group
  double log_odds = 0;    // natural logarithm of the odds, by new casts, that it is so slow and not as the reference
};

struct Standing {
  std::vector<Slow> slow;  // of these only the fit knows: they are to be measured again
  std::vector<Slow> open;  // too slow with all partners, which are slow too: it cannot be told
  bool all_reach = true;   // every host has reached its level, on all rails, sending and receiving
  bool known = true;       // there is a level for each
  // More hosts are slow than a method can take that calls usual what most hosts have.
  bool many = false;
  std::vector<Index> reference;  // hosts that are in no slow group and below no level, the fastest first
};

// `capacities` are by rail. Hosts in `absent` are not looked at.
[[nodiscard]] Standing standing_of(const Fleet& fleet, std::span<const Capacities> capacities, const Levels& levels,
                                   const std::vector<bool>& absent);

// Hosts of the reference to be measured beside those that are said to be slow: a few of each model, chosen from all of them.
[[nodiscard]] std::vector<Index> controls_of(const Fleet& fleet, const Standing& standing);

inline constexpr Index looks_by_level = 2, looks_by_group = 3;  // new casts in each direction that a finding needs

// Of those that were measured again: who is slow, with its log_odds, and of whom it cannot be told. Who is slow was nearer to
// what was said of it than to the reference in all new casts whose partners can take more. Casts of `controls`, hosts of the
// reference, say what that is when several are measured at a time. Where new casts bear out less than half of what no level says,
// groups were split by chance, and none of it stands.
struct Confirmed {
  std::vector<Slow> slow, open;
};
[[nodiscard]] Confirmed confirmed_of(const Fleet& fleet, std::span<const Slow> asked, std::span<const Cast> casts,
                                     std::span<const Capacities> capacities, std::span<const Index> controls);

// `evidence` is of the host.
[[nodiscard]] Diagnosis diagnosis_of(const Fleet& fleet, const Slow& slow, const Level& level, const Evidence& evidence);

}  // namespace railgauge::validate

// Carries out rounds of pairs: gives orders to the ranks of both hosts, and collects what came of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/latency.hpp"
#include "bench/validate/method/losses.hpp"
#include "bench/validate/method/reach.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// Of a stream between two ranks: the path is full then, however late hosts look at them.
inline constexpr std::uint32_t messages_in_flight = 16;

struct Matches {
  std::vector<Measurement> bandwidth;  // with the repeats of each transfer, as medians_of() and suspect_unsteady() take them
  std::vector<Latency> latency;
  std::vector<Sent> sent;  // packets
  std::vector<PairAttempt> attempts;
  std::vector<std::string> failures;  // a sentence for each attempt that failed
  Index rounds = 0;                   // that were carried out: the number of the next round
  const char* stage = validation::pairs_stage;
  std::optional<Seconds> measured;  // how long each direction is measured; empty: as the options have it
  bool told = true;                 // the figures of each pair go into the report
  bool passed = false;              // data came through in an earlier stage, so that what is asked for can be done
};

// What a round measures of each pair: both, or what is to be confirmed.
enum class Asked : std::uint8_t { all, bandwidth, latency };

// Measures the round on all rails and in both directions, and appends to `matches`. Pairs with a host that no longer takes part
// are left out. A host that cannot do what it is told at all, while others can, gets a diagnosis and takes no part any more;
// where none can, it throws Error(usage).
void play(ValidationRun& run, const Round& round, Asked asked, bool confirming, Matches& matches);

// Returns the round without hosts that are gone or among `without`; it pairs the partners that are left with each other.
[[nodiscard]] Round filled(const ValidationRun& run, const Round& round, const std::vector<bool>& without);

// Of pairs without data: leave_out() adds the hosts that cannot be reached to `without`; settle_reach() measures further rounds
// where it is not clear who is to blame, and diagnoses.
void leave_out(ValidationRun& run, const Matches& matches, std::vector<bool>& without);
void settle_reach(ValidationRun& run, Matches& matches, std::vector<bool>& without);

}  // namespace railgauge::validate

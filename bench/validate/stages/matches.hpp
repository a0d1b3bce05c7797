// Rounds of pairs as they are really measured: orders to the ranks of both hosts, and what came of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/latency.hpp"
#include "bench/validate/method/reach.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

struct Matches {
  std::vector<Measurement> bandwidth;  // several of one transfer, as medians_of() and suspect_unsteady() take them
  std::vector<Latency> latency;
  std::vector<PairAttempt> attempts;
  std::vector<std::string> failures;  // sentences of those attempts that failed
  Index rounds = 0;                   // so far, of all kinds: the number of the next
};

// What a round measures of each pair: both, or what is to be confirmed.
enum class Asked : std::uint8_t { all, bandwidth, latency };

// Measures the round on all rails and both ways, and appends to `matches`. Pairs with a host that no longer takes part are left
// out. A host that cannot do at all what it is told, while others can, has a verdict then and takes no part any more;
// Error(usage) where none can.
void play(ValidationRun& course, const Round& round, Asked asked, bool confirming, Matches& matches);

// Who of these pairs' hosts rests because its partner is gone or `without` it: paired with each other.
[[nodiscard]] Round filled(const ValidationRun& course, const Round& round, const std::vector<bool>& without);

// Of pairs that did not come through: verdicts for who is to blame, by further rounds where it is not clear yet. Returns whom to
// leave out from now on.
void leave_out(ValidationRun& course, const Matches& matches, std::vector<bool>& without);
void settle_reach(ValidationRun& course, Matches& matches, std::vector<bool>& without);

}  // namespace railgauge::validate

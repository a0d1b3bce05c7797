// Rounds of pairs as they are really measured: orders to the ranks of both hosts, and what came of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/validate/course.hpp"
#include "bench/validate/fleet.hpp"

namespace railgauge::validate {

// What did not come through between two hosts on a rail, though both are there.
struct Failure {
  Index a = 0, b = 0, rail = 0, round = 0;
  std::string sentence;
};

struct Matches {
  std::vector<Measurement> bandwidth;
  std::vector<Measurement> latency;  // as one over microseconds, in the place of GB/s
  std::vector<Failure> failures;
  Index rounds = 0;  // so far, of all kinds: the number of the next
};

// Measures the round on all rails and both ways, and appends to `matches`. Pairs with a host that no longer takes part are left
// out. Says which of `matches.bandwidth` and `matches.latency` are new by their old sizes.
void play(Course& course, const Round& round, bool confirming, Matches& matches);

// Who of these pairs' hosts rests because its partner is gone or `without` it: paired with each other.
[[nodiscard]] Round filled(const Course& course, const Round& round, const std::vector<bool>& without);

}  // namespace railgauge::validate

// Names ranks in sentences for people, and computes deadlines.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge {

// "rank 3", "ranks 1 and 3", "ranks 0 to 2, 5 and 7", "ranks 1, 3, 5, 7, 9, 11, 13, 15 and 120 more". Ascending, not empty.
[[nodiscard]] std::string name_ranks(const std::vector<int>& ranks);

// "ranks 1 and 3 did not come to the barrier within 10 s"
[[nodiscard]] std::string absent_sentence(const std::vector<int>& ranks, const std::string& call, Seconds deadline);

// "rank 3 was started with '--rounds 4' and rank 0 with '--rounds 3'; give every rank the same arguments": of two command lines,
// the words in which they differ first.
[[nodiscard]] std::string other_arguments(int rank, const std::string& theirs, const std::string& of_first);

// The moment `deadline` from now, at most some years ahead, so that an endless deadline does not overflow the clock.
[[nodiscard]] std::chrono::steady_clock::time_point moment_after(Seconds deadline);

}  // namespace railgauge

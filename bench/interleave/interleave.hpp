// `railgauge compare --interleave`: measures two commands, interleaved, then compares them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "reports/compare/compare.hpp"

namespace railgauge {

struct InterleaveOptions {
  int launches = 0;                     // of each side
  std::vector<std::string> base, next;  // words of the commands
  std::string folder;                   // keeps the results; empty: nobody does
  Seconds deadline{};                   // of a launch
  std::vector<std::string> allow;       // as --allow, besides what differs on purpose
  compare::Options how;                 // without what is allowed
  bool interactive = false;             // progress in a line that is rewritten, on standard error
};

// Whether the i-th launch is one of base: A B B A A B B A, so that what drifts meanwhile meets both alike.
[[nodiscard]] constexpr bool is_of_base(int i) noexcept { return i % 4 == 0 || i % 4 == 3; }

struct Interleaved {
  compare::Comparison comparison;
  std::string interrupted;  // a sentence; empty where all launches were made
};
// Throws Error(usage) when the first launch of a command comes to nothing, Error(lost) when interrupted before both were
// measured, and as compare::compare().
[[nodiscard]] Interleaved interleave(const InterleaveOptions& options);

}  // namespace railgauge

// Who cannot be reached, from which pairs failed and which succeeded: counting, no statistics.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"

namespace railgauge::validate {

// What became of one pair in one round.
struct PairAttempt {
  Index a = 0, b = 0;
  Index rail = npos;    // npos: of all
  Index round = 0;      // ascending in time
  bool passed = false;  // data came through and the pair said so in time
  // Of a pair that failed: who still answers on the control tree. One who does not is at fault without further ado.
  bool a_answered = true, b_answered = true;
};

struct Unreached {
  enum class What : std::uint8_t {
    silent,  // a host that does not answer at all: it died or was stopped
    host,    // answers, but no data passes to or from it
    way,     // between two hosts that each pass data with others meanwhile
    either,  // one of two: too few others were met since to tell them apart
    all      // no data passed between any two
  };
  What what = What::either;
  bool faulty = false;  // silent, host and way; not where data passed again afterwards
  bool again = false;   // data passed again since: it fails at times
  Index host = npos;    // of silent and host
  Index a = 0, b = 0;   // the last two that failed; `a` is the host of silent and host
  Index rail = npos;    // the only one; npos: all that were tried
  Index since = 0;      // round of the first failure
  Index failures = 0;   // attempts that failed and that this explains
  Index partners = 0;   // different ones that it failed with and that pass data with others
};

struct ReachOptions {
  Index least_partners = 2;  // that a host must fail with, and that pass data with others, before it is faulty
};

// A host is faulty when it failed with that many partners who pass data with others, and never passed any since its first
// failure. What it explains is taken away, and so on. Where two fail with each other alone, it is the way between them. The
// order: silent hosts, hosts by their failures, then the rest. Throws Error(usage) where a attempt names a host that the fleet
// lacks.
[[nodiscard]] std::vector<Unreached> reach(const Fleet& fleet, std::span<const PairAttempt> attempts,
                                           const ReachOptions& options = {});

}  // namespace railgauge::validate

// Finds who cannot be reached by counting which pairs failed and which passed data: it takes no statistics.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"

namespace railgauge::validate {

// The outcome of one pair in one round.
struct PairAttempt {
  Index a = 0, b = 0;
  Index rail = npos;    // npos: all rails
  Index round = 0;      // ascending in time
  bool passed = false;  // data came through, and both hosts reported it in time
  // Of a pair that failed: whether each host still answers on the control tree. A host that does not is faulty by that alone.
  bool a_answered = true, b_answered = true;
};

// A host or a path that data did not pass, and the failures that it explains.
struct Unreached {
  enum class Cause : std::uint8_t {
    silent,  // a host does not answer at all: it died or was stopped
    host,    // a host answers, but no data passes to or from it
    path,    // between two hosts, each of which passes data with others meanwhile
    either,  // one of two hosts: too few others were measured since to tell which
    all      // no data passed between any two hosts
  };
  Cause cause = Cause::either;
  bool faulty = false;  // of silent, host and path, unless data passed again afterwards
  bool again = false;   // data passed again since: it fails at times
  Index host = npos;    // of silent and host
  Index a = 0, b = 0;   // the last pair that failed; `a` is the host of silent and host
  Index rail = npos;    // the rail that failed; npos: all that were tried
  Index since = 0;      // round of the first failure
  Index failures = 0;   // failed attempts that this explains
  Index partners = 0;   // different hosts that it failed with and that pass data with others
};

struct ReachOptions {
  Index least_partners = 2;  // so many hosts that pass data with others must a host fail with before it is faulty
};

// A host is faulty when it failed with that many partners who pass data with others, and never passed any since its first
// failure. What it explains is taken away, and so on. Where two fail with each other alone, it is the path between them. The
// order: silent hosts, hosts by their failures, then the rest. Throws Error(usage) where an attempt names a host that the fleet
// lacks.
[[nodiscard]] std::vector<Unreached> reach(const Fleet& fleet, std::span<const PairAttempt> attempts,
                                           const ReachOptions& options = {});

}  // namespace railgauge::validate

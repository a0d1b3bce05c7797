// What each host adds to a latency, whatever the others add: the latency of a pair is the sum of what both of its ends and the
// path between them take, so that any three hosts show what each of them adds. No share of the hosts decides what is usual.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/latency.hpp"

namespace railgauge::validate {

// Of one host on one rail.
struct Delay {
  Seconds adds{};      // more than a host that adds nothing: hosts of one model may be compared; NaN: not measured
  Seconds error{};     // its standard error
  Seconds path{};      // latency of the fastest kind of pair that it was in, were its ends to add nothing
  Index measured = 0;  // latencies
};
struct Delays {
  std::vector<Delay> hosts;
  std::vector<Seconds> kinds;  // latency of each kind of pair whose hosts add nothing, as Kinds counts them; NaN: not measured
  Seconds scatter{};           // standard deviation of one latency around what its ends and its kind make of it
};
// Fits one rail by least squares with Huber's weights. `latencies` may be of all rails.
[[nodiscard]] Delays delays_of(const Fleet& fleet, std::span<const Latency> latencies, Index rail);

// A host that adds more than the fastest hosts of its model.
struct Late {
  Index host = 0, rail = 0;  // npos: on most rails
  Seconds adds{};            // more than those
  Seconds usual{};           // latency of two of those, at the distance where it is least
  std::size_t group = 0;     // how many those are
  double log_odds = 0;       // natural logarithm of the odds, by new measurements, that it adds that and not nothing
};

struct LateHosts {
  std::vector<Late> late;
  bool many = false;  // more than a method can take that calls usual what most hosts have
};
// `delays` are by rail. Hosts of one model, in the order of what they add, are split where two differ by what `least` says, by
// six standard errors and by two deviations of one latency; those before the first such gap are the reference.
[[nodiscard]] LateHosts late_hosts(const Fleet& fleet, std::span<const Delays> delays, const LeastLonger& least = {});

inline constexpr Index looks_at_late = 3;  // new latencies that a finding needs

struct ConfirmedLate {
  std::vector<Late> late;  // with their log_odds
  std::vector<Late> open;  // of which too little was measured again
};
// A host stands as late when each new latency of it, less what its partner adds, is nearer to what was found than to none. Where
// that bears out less than half of those that were asked for, hosts were split by chance, and none of it stands.
[[nodiscard]] ConfirmedLate confirmed_late(const Fleet& fleet, std::span<const Late> asked, std::span<const Latency> again,
                                           std::span<const Delays> delays);

// `evidence` is of the host.
[[nodiscard]] Diagnosis diagnosis_of(const Fleet& fleet, const Late& late, const Evidence& evidence);

}  // namespace railgauge::validate

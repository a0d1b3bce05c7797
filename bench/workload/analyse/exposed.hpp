// Exposed communication: the time in which a rank communicates and computes nothing. docs/workloads.md defines it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "bench/workload/matches.hpp"
#include "bench/workload/timeline.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// Sorted intervals that do not touch each other.
using Spans = std::vector<Interval>;
[[nodiscard]] Spans united(Spans spans);                            // in any order, overlapping
[[nodiscard]] Spans without(const Spans& from, const Spans& what);  // both united
[[nodiscard]] double length(const Spans& spans);

struct Exposure {
  double communicating = 0;  // in which at least one call or message is in flight
  double exposed = 0;        // of that, beside no computation
  [[nodiscard]] double hidden_share() const { return communicating > 0 ? 1 - exposed / communicating : 0; }
};

// Of one rank. Seconds.
struct RankExposure {
  double computing = 0;               // in which at least one computation runs
  Exposure all;                       // of all streams together
  std::map<int, Exposure> of_stream;  // of each stream that communicates, by itself
};
[[nodiscard]] RankExposure exposure_of(std::span<const WorkNode> nodes, std::span<const Interval> times);

// When this rank communicates and computes nothing.
[[nodiscard]] Spans exposed_spans(std::span<const WorkNode> nodes, std::span<const Interval> times);

// By rank: how much of its exposed communication it waits for others, which have not come to the call yet; the rest transfers.
[[nodiscard]] std::vector<double> exposed_waiting(const Workload& workload, const Matches& matches, const Timeline& timeline);

// What the step would take if communication took no time: computations as long as in the timeline, calls that still wait for all
// of their ranks.
[[nodiscard]] double without_communication(const Workload& workload, const Matches& matches, const Timeline& timeline);

}  // namespace railgauge

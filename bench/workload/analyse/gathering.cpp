// One pass for the last rank, one for what the others wait; bench/workload/analyse/gathering.hpp.
#include "bench/workload/analyse/gathering.hpp"

#include <algorithm>

namespace railgauge {

Gathering gathering_of(const Workload& workload, const Match& match, const Timeline& timeline) {
  const auto interval = [&](const Match::Member& member) -> const Interval& {
    return timeline[static_cast<std::size_t>(member.rank)][member.node];
  };
  const Match::Member last =
      *std::max_element(match.members.begin(), match.members.end(),
                        [&](const Match::Member& a, const Match::Member& b) { return interval(a).start < interval(b).start; });
  Gathering all{last.rank, interval(last).start, 0, 0, 0};
  for (const Match::Member& member : match.members) {
    all.end = std::max(all.end, interval(member).end);
    all.waiting += all.together - interval(member).start;
    all.bytes = std::max(all.bytes, workload.nodes[static_cast<std::size_t>(member.rank)][member.node].bytes());
  }
  return all;
}

}  // namespace railgauge

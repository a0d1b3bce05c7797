// What the links between the hosts of a run allow, for "% of expected". What host memory carries stands in no topology, so ranks
// of one host have no expectation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/result.hpp"
#include "topo/expect/expect.hpp"
#include "transports/group.hpp"

namespace railgauge {

struct Expected {
  std::optional<topo::Team> team;  // empty where nothing is known
  std::string note;                // one line: what is expected of, or why nothing is; empty for one host
  std::string topology;            // fingerprint of all hosts (topo/fingerprint.hpp); empty where one of them could not be read
};

// Collective. The first rank of each host reads its own machine, once; `sources` name another topology for what is expected,
// which rank 0 reads. The host whose NICs carry least is what all are expected to be. Throws Error(usage) on all ranks when the
// sources cannot be read or lack one of the hosts.
[[nodiscard]] Expected expect_of_hosts(Group& group, const std::vector<std::string>& sources);

// Of this machine alone; empty where it cannot be read.
[[nodiscard]] std::string topology_here();

// The result with `expected` filled where a formula is known: the highest ceiling of any algorithm.
[[nodiscard]] Result with_expectation(Result result, const std::optional<topo::Team>& team);

}  // namespace railgauge

// Finds machines with more ranks than cores.
#pragma once

#include <string>
#include <vector>

#include "transports/group.hpp"

namespace railgauge {

struct OversubscribedHost {
  std::string name;  // its node; "n0 and 3 other nodes, which are one machine"
  int ranks = 0, cores = 0, nodes = 1;
};

// Collective, and the same on all ranks: the hosts that have more ranks than the cores that their ranks together may run on.
// Nodes whose kernel is the same are one host, as containers of one machine are. Launchers bind each rank to its own cores, so
// the cores of one rank are not those of the host. A host whose cores are unknown is not in the answer.
[[nodiscard]] std::vector<OversubscribedHost> oversubscribed_hosts(Group& group);

// Whether one of these is a machine of several nodes: between these, messages take their time, and who waits for them had better
// sleep.
[[nodiscard]] bool nodes_share_cores(const std::vector<OversubscribedHost>& hosts);

[[nodiscard]] inline bool any_host_is_oversubscribed(Group& group) { return !oversubscribed_hosts(group).empty(); }

}  // namespace railgauge

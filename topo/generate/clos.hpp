// Trees of switches, two or three tiers: how many of each there are, and their cables.
#pragma once

#include "topo/generate/assembly.hpp"
#include "topo/generate/hosts.hpp"

namespace railgauge::topo {

struct ClosOptions {
  unsigned hosts = 0;
  unsigned nics = 0;         // of each host
  unsigned rails = 1;        // leaves of a unit: NIC k of its hosts is on leaf k modulo rails; 1: all NICs of a host on one leaf
  unsigned radix = 0;        // ports of each switch
  unsigned tiers = 0;        // 1 to 3; 0: as few as will do
  double oversubscribe = 1;  // links down over links up, of each leaf
};

// All units, and all leaves, are alike.
struct ClosPlan {
  unsigned tiers = 1;
  unsigned pods = 1;   // of three tiers
  unsigned units = 1;  // of each pod: `rails` leaves with the same hosts
  unsigned hosts_of_unit = 0;
  unsigned down = 0, up = 0;  // links of a leaf
  unsigned spines = 0;        // of two tiers all; of three those of one pod and rail
  unsigned cores = 0;         // of three tiers: those above the spines of one number
  unsigned spine_up = 0;      // of three tiers: links of a spine
};

// Throws Error(usage) when the hosts do not fit, or not equally: the sentence names numbers of hosts that would.
[[nodiscard]] ClosPlan plan_clos(const ClosOptions&);
void build_clos(Assembly&, const ClosOptions&, const ClosPlan&, const HostPorts&, const Rate&);

}  // namespace railgauge::topo

// Ranks that are launched by environment variables alone, without a launcher that exchanges data: torchrun, srun without PMI,
// pods of Kubernetes, a shell. Their rendezvous is at an address, and with a token, that all ranks know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "bench/launch/address.hpp"
#include "bench/launch/launcher.hpp"

namespace railgauge {

struct EnvironmentLaunch {
  std::string source;  // "torchrun", "srun", "RAILGAUGE_RANKS"
  Placement placement;
  Candidate root;  // where rank 0 is awaited
};

// Each of these functions returns nothing where the environment has no such set of variables, and throws Error(usage) that names
// the variable where one of the set is missing or wrong.

using ReadEnvironmentLaunch = std::optional<EnvironmentLaunch> (*)(const Environment& environment);

// RAILGAUGE_RANKS, RAILGAUGE_RANK, RAILGAUGE_RENDEZVOUS=HOST:PORT; RAILGAUGE_LOCAL_RANK and RAILGAUGE_LOCAL_RANKS (0 of 1),
// RAILGAUGE_NODE (this host's name).
[[nodiscard]] std::optional<EnvironmentLaunch> railgauge_launch(const Environment& environment);
// RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT, GROUP_RANK. torchrun's own store listens at
// MASTER_PORT, so ranks meet at the port above it.
[[nodiscard]] std::optional<EnvironmentLaunch> torchrun_launch(const Environment& environment);
// A step of srun: the first of its nodes, at a port that follows from the numbers of job and step. RAILGAUGE_RENDEZVOUS wins.
[[nodiscard]] std::optional<EnvironmentLaunch> slurm_launch(const Environment& environment);

// RAILGAUGE_TOKEN; nothing where it is not set. Throws Error(usage) where it is not 32 hexadecimal digits.
[[nodiscard]] std::optional<wire::Token> token_of(const Environment& environment);

// The deadline of the rendezvous: RAILGAUGE_RENDEZVOUS_TIMEOUT, in seconds from 1 to 86400; 60 where it is not set. Throws as
// above.
[[nodiscard]] Seconds rendezvous_deadline(const Environment& environment);

// One process on each node, which is to start the ranks of its node itself: RAILGAUGE_NODES, RAILGAUGE_LOCAL_RANKS, and
// RAILGAUGE_NODE_INDEX or, of an Indexed Job of Kubernetes, JOB_COMPLETION_INDEX; no RAILGAUGE_RANK.
struct NodeLaunch {
  int nodes = 1, index = 0, local = 1;
};
// Nothing where the environment says no such thing; throws as above.
[[nodiscard]] std::optional<NodeLaunch> node_launch_of(const Environment& environment);

// The number of a task of srun among the tasks of its node, and how many those are. Nothing where the variables lack it.
struct LocalPlace {
  int rank = 0, size = 1;
};
[[nodiscard]] std::optional<LocalPlace> local_in_step(const Environment& environment);

// The first host of a list as Slurm writes it: "gpu[003-007,12],login1" gives "gpu003". Nothing where the text is no such list.
[[nodiscard]] std::optional<std::string> first_host(std::string_view list);
// The entry of a node in a list of tasks per node as Slurm writes it, "2(x3),1"; nothing where there is none.
[[nodiscard]] std::optional<int> tasks_of_node(std::string_view list, int node);

}  // namespace railgauge

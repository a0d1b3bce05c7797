// Starts the ranks of one node.
#include "bench/ranks/node_launch.hpp"

#include <string>

#include "bench/group/host.hpp"
#include "bench/launch/environment_launch.hpp"

namespace railgauge {

Invocation rank_of_node_launch(const Invocation& invocation, const NodeLaunch& node_launch, int local) {
  Invocation its = invocation;
  auto& variables = its.environment;
  variables.erase("RAILGAUGE_NODES");
  variables["RAILGAUGE_RANKS"] = std::to_string(node_launch.nodes * node_launch.local);
  variables["RAILGAUGE_RANK"] = std::to_string(node_launch.index * node_launch.local + local);
  variables["RAILGAUGE_LOCAL_RANKS"] = std::to_string(node_launch.local);
  variables["RAILGAUGE_LOCAL_RANK"] = std::to_string(local);
  // Pods may share a host's name and nothing else.
  variables.try_emplace("RAILGAUGE_NODE", describe_host().name + "." + std::to_string(node_launch.index));
  return its;
}

std::optional<int> run_spread(const Invocation& invocation, const std::function<int(const Invocation&)>& as_rank,
                              const LocalEvents& events) {
  const Environment environment = environment_of(invocation);
  const std::optional<NodeLaunch> node_launch = node_launch_of(environment);
  if (!node_launch) return std::nullopt;
  (void)token_of(environment);  // one sentence is enough for all ranks of this node
  const int first = node_launch->index * node_launch->local;
  const LocalBody body = [&](int rank, const std::string&, RootListener*) {
    bind_rank(rank - first, node_launch->local);
    return as_rank(rank_of_node_launch(invocation, *node_launch, rank - first));
  };
  const Slice slice{first, {}, nullptr};
  return run_local(node_launch->local, body, events, &slice);
}

}  // namespace railgauge

// Starts the ranks of one node.
#include "bench/ranks/spread.hpp"

#include <string>

#include "bench/group/host.hpp"
#include "bench/launch/told.hpp"

namespace railgauge {

Invocation one_of_spread(const Invocation& invocation, const Spread& spread, int local) {
  Invocation its = invocation;
  auto& variables = its.environment;
  variables.erase("RAILGAUGE_NODES");
  variables["RAILGAUGE_RANKS"] = std::to_string(spread.nodes * spread.local);
  variables["RAILGAUGE_RANK"] = std::to_string(spread.index * spread.local + local);
  variables["RAILGAUGE_LOCAL_RANKS"] = std::to_string(spread.local);
  variables["RAILGAUGE_LOCAL_RANK"] = std::to_string(local);
  // Pods may share a host's name and nothing else.
  variables.try_emplace("RAILGAUGE_NODE", describe_host().name + "." + std::to_string(spread.index));
  return its;
}

std::optional<int> run_spread(const Invocation& invocation, const std::function<int(const Invocation&)>& as_rank,
                              const LocalEvents& events) {
  const Environment environment = environment_of(invocation);
  const std::optional<Spread> spread = spread_of(environment);
  if (!spread) return std::nullopt;
  (void)token_of(environment);  // one sentence is enough for all ranks of this node
  const int first = spread->index * spread->local;
  const LocalBody body = [&](int rank, const std::string&, Rendezvous*) {
    bind_rank(rank - first, spread->local);
    return as_rank(one_of_spread(invocation, *spread, rank - first));
  };
  const Slice slice{first, {}, nullptr};
  return run_local(spread->local, body, events, &slice);
}

}  // namespace railgauge

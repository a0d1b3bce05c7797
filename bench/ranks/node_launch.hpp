// Where one process was started on each node, as the pods of an Indexed Job are: it starts the ranks of its node.
#pragma once

#include <functional>
#include <optional>

#include "base/invocation.hpp"
#include "bench/launch/environment_launch.hpp"
#include "bench/launch/local.hpp"

namespace railgauge {

// The invocation of one of its ranks, the `local`th of this node, with the variables that a shell would set for it
// (bench/launch/environment_launch.hpp, railgauge_launch).
[[nodiscard]] Invocation rank_of_node_launch(const Invocation& invocation, const NodeLaunch& node_launch, int local);

// Forks as many ranks as the environment asks for (bench/launch/environment_launch.hpp, NodeLaunch), each of which runs `as_rank`
// with an invocation that says which rank it is, and watches over them (bench/launch/local.hpp). Returns their exit code;
// nothing, at once, where the environment asks for no such thing. To be called while the process has one thread. `events`: what
// the ranks' ends mean.
[[nodiscard]] std::optional<int> run_spread(const Invocation& invocation, const std::function<int(const Invocation&)>& as_rank,
                                            const LocalEvents& events = {});

}  // namespace railgauge

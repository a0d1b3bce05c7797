// Ranks for tests: threads with a control tree each, and forked processes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/launch/control_tree.hpp"

namespace railgauge::test {

inline Deadlines patient() { return {Seconds{100}, Seconds{100}}; }

using RankBody = std::function<void(ControlTree&)>;

// Element r is the sentence of what rank r threw, empty when it returned. A rank that fails announces why, as the program does.
// `introduce` may change how a rank introduces itself.
std::vector<std::string> run_over_tcp(int ranks, const Deadlines& deadlines, const RankBody& body,
                                      const std::function<void(Introduction&)>& introduce = {});

// The same as processes. Element r is the sentence, or "signal N" when a signal ended the process.
std::vector<std::string> run_as_processes(int ranks, const Deadlines& deadlines, const RankBody& body);

}  // namespace railgauge::test

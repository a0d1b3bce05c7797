// The agent of one rank: passes orders from the conductor to its worker, and never makes a call that could take long.
#pragma once

#include <string>

#include "bench/agents/worker.hpp"
#include "bench/launch/launcher.hpp"

namespace railgauge::agents {

struct AgentOptions {
  Placement placement;
  std::string address;    // of the conductor
  std::string arguments;  // the same text on all ranks
  WorkerNetwork network;
  Seconds rendezvous{60};  // until the conductor answers
  Seconds silence{300};    // of the conductor, which may calculate or write for a while; then it is taken for lost
};

// Runs until the conductor ends the run or disappears; returns the exit code. Must be called while the process has one thread
// and before it opens anything that a fork would break, since the agent forks its workers. Throws Error(lost) when the conductor
// cannot be reached, or is silent for too long.
[[nodiscard]] int run_agent(const AgentOptions& options, const Work& work);

}  // namespace railgauge::agents

// One rank's agent: stands between the conductor and the worker that works, and never does anything that could take long.
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

// Lives until the conductor says that it is over, or is gone; returns the exit code. To be called while the process has one
// thread, and before anything is opened that a fork would not survive: workers are made by fork. Throws Error(lost) when the
// conductor cannot be reached, or is silent for too long.
[[nodiscard]] int run_agent(const AgentOptions& options, const Work& work);

}  // namespace railgauge::agents

// The processes that a conductor starts itself: the agents of this machine's ranks.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "base/subprocess.hpp"

namespace railgauge::validate {

class LocalAgents {
 public:
  explicit LocalAgents(HeldSignals& signals) : signals_(signals) {}
  ~LocalAgents();  // gives them a moment to end by themselves
  LocalAgents(const LocalAgents&) = delete;
  LocalAgents& operator=(const LocalAgents&) = delete;

  // Forks a process that runs `life` and exits with the code that it returns. The process dies with this one. Throws Error(usage)
  // where the system has no process left.
  void start(const std::function<int()>& life);

 private:
  HeldSignals& signals_;
  std::vector<pid_t> processes_;
};

// Runs `life` in a child process, and returns when the child ends, or some 15 s after the child was stopped and not continued.
// Launchers wait for their tasks, end all of them when one is killed, and do not notice one that is stopped: this process is
// never either. Returns the exit code of `life`, or 0 where a signal ended it.
[[nodiscard]] int live_guarded(HeldSignals& signals, const std::function<int()>& life);

}  // namespace railgauge::validate

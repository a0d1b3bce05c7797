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

  // By fork; `life` returns the exit code. Throws Error(usage). The process dies with this one.
  void start(const std::function<int()>& life);

 private:
  HeldSignals& signals_;
  std::vector<pid_t> processes_;
};

// Lives as the parent of a process that does `life`, and ends when it does; also some 15 s after it was stopped and not
// continued. Launchers wait for their tasks, end all of them when one is killed, and know nothing of one that is stopped: this
// one is neither. Returns the code of `life`, 0 where a signal ended it.
[[nodiscard]] int live_guarded(HeldSignals& signals, const std::function<int()>& life);

}  // namespace railgauge::validate

// The processes that a conductor starts itself: the agents of this machine's ranks.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "base/subprocess.hpp"

namespace railgauge::validate {

class Crew {
 public:
  explicit Crew(HeldSignals& signals) : signals_(signals) {}
  ~Crew();  // gives them a moment to end by themselves
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // By fork; `life` returns the exit code. Throws Error(usage). The process dies with this one.
  void start(const std::function<int()>& life);

 private:
  HeldSignals& signals_;
  std::vector<pid_t> processes_;
};

}  // namespace railgauge::validate

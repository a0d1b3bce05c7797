// Runs a reading in a process of its own, so that a driver that hangs or crashes does not take the program with it.
//
// A process and not a thread: a call that sleeps in the kernel for ever cannot be ended, and a program with such a thread never
// gets rid of it, not even by exit(). Such a process stays behind alone.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace railgauge::topo {

struct Patience {
  std::chrono::milliseconds quiet{30'000};  // without a sign of progress
  std::chrono::milliseconds all{180'000};   // for the whole reading; a broken GPU answers, but each call takes seconds
};

// The reading's side. What it says goes to the reader at once, and stays when the reading does not end.
class Teller {
 public:
  virtual ~Teller() = default;
  virtual void doing(std::string_view what) = 0;  // a sign of progress, and the name of the wait that begins; 200 characters
  virtual void say(std::string_view line) = 0;    // without '\n' in it
};

struct Heard {
  std::string lines;  // each ends with '\n'
  std::string fault;  // "nvmlInit_v2 did not return within 30 s", "segmentation fault in nvmlInit_v2"; empty when the work ended
};

// `work` must not throw. Throws Error(usage) when the system has no process or pipe to give.
[[nodiscard]] Heard run_apart(const std::function<void(Teller&)>& work, const Patience&);

}  // namespace railgauge::topo

// Runs a reading in a child process, so that a driver that hangs or crashes does not stop the program.
//
// A thread would not do: nothing can end a call that sleeps in the kernel, and a program with such a thread cannot even exit().
// A child in that state stays behind alone.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace railgauge::topo {

// Deadlines of a reading.
struct Patience {
  std::chrono::milliseconds quiet{30'000};  // between two signs of progress
  std::chrono::milliseconds all{180'000};   // for the whole reading; a broken GPU answers, but each call takes seconds
};

// The child's side. The parent receives each line at once and keeps it when the reading does not end.
class Teller {
 public:
  virtual ~Teller() = default;
  virtual void doing(std::string_view what) = 0;  // a sign of progress that names the next wait; up to 200 characters
  virtual void say(std::string_view line) = 0;    // without '\n'
};

// The result of a reading.
struct Heard {
  std::string lines;  // each ends with '\n'
  std::string fault;  // "nvmlInit_v2 did not return within 30 s", "segmentation fault in nvmlInit_v2"; empty when the work ended
};

// `work` runs in the child and must not throw. Throws Error(usage) when the system refuses a process or pipe.
[[nodiscard]] Heard run_apart(const std::function<void(Teller&)>& work, const Patience&);

}  // namespace railgauge::topo

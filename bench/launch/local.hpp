// The supervisor of `--ranks N`: starts N local processes, monitors them, and ends all when one fails.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/units.hpp"

namespace railgauge {

class RootListener;

// Local ranks as a part of a larger run, whose other ranks other supervisors start.
struct Slice {
  int first = 0;                     // the rank of the first child
  std::string root_address;          // where rank 0 is met
  RootListener* listener = nullptr;  // of rank 0, where it is one of these
};

// The body of one local rank; returns its exit code. `own` is null except on rank 0.
using LocalBody = std::function<int(int rank, const std::string& root_address, RootListener* own)>;

// Callbacks of the supervisor while ranks run.
struct LocalEvents {
  int descriptor = -1;             // watched where it is not -1
  std::function<void()> readable;  // called when there is something to be read from it
  // Returns the reason why a rank ended with this code, a sentence; empty where the caller knows none.
  std::function<std::string(int rank, int code)> explain;
  // Returns a time where this code is a result of the rank and no failure: the supervisor then prints no sentence, and the other
  // ranks have that time to end instead of 3 s. Returns nothing for a failure.
  std::function<std::optional<Seconds>(int rank, int code)> is_result;
  // A rank that is stopped by a signal (SIGSTOP, SIGTSTP) for so long is lost. Counts only time in which the supervisor runs: no
  // rank is lost while all processes are stopped together or the machine sleeps. Nothing: stopped ranks are never lost.
  std::optional<Seconds> most_stopped = Seconds{7};  // before the control tree's news (Deadlines::silence), which knows less
};

// Forks `ranks` children, each of which runs `body`, flushes what it has written and ends with the code that it returned; returns
// in the parent alone. To be called while the process has one thread, before a plugin is loaded. Children die with the
// supervisor. When a rank is killed by a signal, or fails, a sentence on stderr names it; the others have 3 s to end by
// themselves (they know from the control tree), then they are told to by SIGTERM, and 2 s later by SIGKILL. SIGINT and SIGTERM to
// the supervisor are handed on and end the run likewise. Returns the exit code: 5 when a rank was lost or the run was
// interrupted, otherwise the more_severe of the codes. Throws Error(usage) when processes cannot be started (those that were are
// gone then). A rank that stays stopped is named, ended by SIGKILL, and lost. With a `slice`, the children are those ranks of it.
// That ranks elsewhere were lost is then said by the supervisors of rank 0 and of the ranks after its own alone. Exit code 6,
// wrong data, is a result and not the end of a rank: it is passed on without a sentence.
[[nodiscard]] int run_local(int ranks, const LocalBody& body, const LocalEvents& events = {}, const Slice* slice = nullptr);

[[nodiscard]] int allowed_cores();  // of this process

// Binds this process to core number `rank` of those that it may use, when `ranks` do not exceed them. Returns a sentence
// fragment about what was done: "core 3", or "not bound: 8 ranks on 2 cores".
std::string bind_rank(int rank, int ranks);

}  // namespace railgauge

// Ranks as threads of one process: the Group of the memory transport and of tests. It reports deaths as the control tree does.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "transports/group.hpp"

namespace railgauge {

// Runs `body` as `ranks` threads, each with a Group of its own, and waits for all of them. Element r of the answer is the
// exception of rank r, null when it returned. Groups, also those made by split(), live no longer than the body that they were
// given to.
//
// A rank that throws is dead for the others: what they wait for ends with RankLost "rank 2 ended: <its sentence>", and so do
// check() and every call of theirs that needs somebody else. A rank that returned is not dead, but a call that still needs it
// fails and names it. In groups made by split() only the deaths of their members count; sentences always name a rank by its
// number among all `ranks`. `deadline` bounds each wait; the sentence then names the absent ranks. `ranks` may exceed the cores.
[[nodiscard]] std::vector<std::exception_ptr> run_as_threads(int ranks, Seconds deadline, const std::function<void(Group&)>& body,
                                                             std::string node = "localhost");

// The first cause among the exceptions of all ranks: the exception of the rank that failed by itself, not of ranks that lost it.
// Null where no rank threw.
[[nodiscard]] std::exception_ptr first_cause(const std::vector<std::exception_ptr>& thrown);

}  // namespace railgauge

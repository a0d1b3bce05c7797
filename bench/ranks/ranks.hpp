// What a run needs around its ranks, whoever starts them: which transport is the default, how a rank lives in a process of its
// own, and what is left to do when a rank was lost.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/control_tree.hpp"
#include "bench/launch/launcher.hpp"
#include "bench/ranks/rank_report.hpp"
#include "transports/group.hpp"
#include "transports/oversubscribed.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {

[[nodiscard]] std::string new_run_name();  // the time and a random number

// Shared memory within one host, what crosses hosts otherwise.
[[nodiscard]] std::string default_transport(bool one_host);

// The life of a rank in a process of its own: it takes its cores, joins the tree (bench/launch/control_tree.hpp, join) and does
// `work`; `rendezvous` is how long it waits for the others. An Error becomes the exit code that is returned, once the supervisor
// (by `report`) and the other ranks know the cause.
[[nodiscard]] int run_rank(const Placement& placement, const std::string& arguments, const std::string& root_address,
                           RootListener* own, const RankReport& report, const std::function<int(ControlTree&)>& work,
                           Seconds rendezvous = Deadlines{}.rendezvous);

// The end of a launcher's rank after `error`: the other ranks know the cause, `clear_up` is done, and one sentence on standard
// error is enough for all who lost the same rank: rank 0's, or rank 1's about rank 0, or, should all of their node be lost, that
// of the first rank of another node. Gives the exit code.
[[nodiscard]] int end_launched(ControlTree& tree, const Error& error, const std::function<void()>& clear_up);

// Collective: whether `step`, which is not, did not throw Error(usage) on any rank. The Error of the lowest rank that threw is
// thrown there alone, so that it is said once; the other ranks get false, and end by exit_after_reporter().
[[nodiscard]] bool agreed(Group& group, const std::function<void()>& step);

// Ranks that wait for a core measure the scheduler: said once, before the first result. Nothing where there are no such hosts.
void warn_of_oversubscription(const std::vector<OversubscribedHost>& hosts);

// Waits until another rank that says what is wrong has had time to: launchers end all ranks as soon as one ends badly. Gives
// `code`.
int exit_after_reporter(int code);

// The same after join() was refused. A rank that stands in says why, if its launcher has not ended it for longer.
int end_refused(const Refused& refused);

// After a rank was lost: it may have been killed before it could clear up.
void remove_leftovers(const ChosenTransport& transport, std::chrono::system_clock::time_point since);

}  // namespace railgauge

// Leads the ranks of a run: each has an agent that waits for orders, and when one dies, is stopped or does not answer, the others
// go on. A control tree (bench/launch/control_tree.hpp) ends with its first death; here a death is an answer.
//
//   conductor ---- one connection each ---- agent of rank 0 .. n-1, which does nothing but listen and watch over its
//                                           worker, a process that does the work and is replaced when it hangs or dies
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/agents/order.hpp"
#include "bench/agents/seating.hpp"
#include "bench/launch/control_tree.hpp"

namespace railgauge::agents {

struct Patience {
  Seconds rendezvous{60};  // until all agents have come
  Seconds silence{5};      // of an agent; then it is taken for lost
};

class Conductor {
 public:
  // `arguments` must be the same text for all.
  Conductor(RootListener own, int size, std::string arguments, const Patience& patience = {});
  ~Conductor();  // tells all agents to end
  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;

  // Waits until all agents are there, or the time is over: who is absent is lost. Throws Error(usage) when one was started
  // differently from the others. `go_on` is asked several times a second, here and below; false ends the wait.
  void meet(const std::function<bool()>& go_on);
  [[nodiscard]] const std::vector<Member>& members() const noexcept;

  // Gives all orders, no two of which share a member, and returns when each member has answered or is lost. One answer for each
  // member of each order, in their order; those of lost members say so. When `go_on` says no, what is not answered is lost.
  [[nodiscard]] std::vector<std::vector<Answer>> carry_out(std::vector<Order> orders, const std::function<bool()>& go_on);

 private:
  class Desk;
  std::unique_ptr<Desk> desk_;
};

}  // namespace railgauge::agents

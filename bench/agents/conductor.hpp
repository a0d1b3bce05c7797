// Gives orders to the ranks of a run: each rank has an agent that waits for orders. When an agent dies, is stopped or does not
// answer, the others continue. A control tree (bench/launch/control_tree.hpp) ends with its first death; here a death is an
// answer.
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

  // Waits until all agents have connected or the time is over; absent agents count as lost. Throws Error(usage) when an agent
  // was started with other arguments than the others. `go_on` is asked several times a second, here and below; false ends the
  // wait.
  void meet(const std::function<bool()>& go_on);
  [[nodiscard]] const std::vector<Member>& members() const noexcept;

  // Gives all orders, no two of which share a member, and returns when each member has answered or is lost. Element [i][j] is
  // the answer of member j of order i; the answer of a lost member says so. When `go_on` returns false, members that have not
  // answered count as lost.
  [[nodiscard]] std::vector<std::vector<Answer>> carry_out(std::vector<Order> orders, const std::function<bool()>& go_on);

 private:
  class Desk;
  std::unique_ptr<Desk> desk_;
};

}  // namespace railgauge::agents

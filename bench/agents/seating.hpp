// The ranks of a run as their agents introduce themselves, and how those of one machine share its cores.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/agents/order.hpp"

namespace railgauge::agents {

struct Member {
  std::string node;  // as its launcher names it
  int local_rank = 0;
  std::string machine;  // of which there is one although launchers may name it as several nodes: the kernel's boot
  int cores = 1;        // that its agent may use
  bool there = false;   // it has introduced itself
  std::string loss;     // why it takes no orders any more, a sentence; empty while it does
};

struct Seating {
  std::vector<Order::Seat> seats;  // by rank
  double crowding = 1;             // agents for each core of the machine that has most; above 1 they wait for each other
};
// The seats of the members that are there.
[[nodiscard]] Seating seat_of_each(std::span<const Member> members);

}  // namespace railgauge::agents

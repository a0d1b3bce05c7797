// Counts the agents of each machine.
#include "bench/agents/seating.hpp"

#include <algorithm>
#include <map>

namespace railgauge::agents {

Seating seat_of_each(std::span<const Member> members) {
  Seating seating;
  seating.seats.resize(members.size());
  std::map<std::string, std::vector<std::size_t>> machines;
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    if (members[rank].there) machines[members[rank].machine.empty() ? members[rank].node : members[rank].machine].push_back(rank);
  for (const auto& [machine, ranks] : machines)
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      seating.seats[ranks[i]] = {static_cast<int>(i), static_cast<int>(ranks.size())};
      seating.crowding = std::max(seating.crowding, static_cast<double>(ranks.size()) / std::max(1, members[ranks[i]].cores));
    }
  return seating;
}

}  // namespace railgauge::agents

// Replaces u - switch - t by u - t, as far as every rank can still be reached by all trees.
#include <algorithm>
#include <stdexcept>

#include "topo/trees/trees.hpp"

namespace railgauge::topo {
namespace {

// Splits off as much of u - w - t as can be. What a set lacks afterwards is what was taken from it beyond its slack: so much less
// is right for it.
void split_off(Capacities& capacities, const Demand& demand, std::uint32_t u, std::uint32_t w, std::uint32_t t) {
  const auto take = [&](std::int64_t amount) {
    capacities.at(u, w) -= amount;
    capacities.at(w, t) -= amount;
    if (u != t) capacities.at(u, t) += amount;
  };
  std::int64_t amount = std::min(capacities.at(u, w), capacities.at(w, t));
  while (amount > 0) {
    take(amount);
    const std::optional<std::int64_t> missing = shortfall(capacities, demand);
    if (!missing) return;
    take(-amount);
    amount -= std::min(amount, *missing);
  }
}

}  // namespace

void remove_switches(Capacities& capacities, const Demand& demand) {
  std::vector<bool> rank(capacities.vertices);
  for (const std::uint32_t at : demand.ranks) rank[at] = true;
  for (std::uint32_t w = 0; w < capacities.vertices; ++w) {
    if (rank[w]) continue;
    for (const bool back : {false, true})  // what comes back to where it came from is for the end: it is of no use
      for (std::uint32_t t = 0; t < capacities.vertices; ++t)
        for (std::uint32_t u = 0; u < capacities.vertices && capacities.at(w, t) > 0; ++u)
          if (capacities.at(u, w) > 0 && (u == t) == back) split_off(capacities, demand, u, w, t);
    for (std::uint32_t t = 0; t < capacities.vertices; ++t)
      if (capacities.at(w, t) > 0) throw std::logic_error("a switch could not be removed: its capacities differ in and out");
  }
}

}  // namespace railgauge::topo

#include "tests/validate/settle.hpp"

#include <numeric>
#include <set>

namespace railgauge::test {

using namespace validate;

Levels no_levels(const Fleet& fleet) { return Levels(fleet.hosts.size(), std::vector<Level>(fleet.rails)); }

SettledHosts settle(Simulator& simulator, const Samples& samples, const Levels& levels, std::uint64_t seed) {
  const Fleet& fleet = simulator.fleet();
  std::vector<Index> all(fleet.hosts.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<bool> absent(all.size(), false);
  SettledHosts settled;
  std::vector<Cast> casts;
  std::vector<Capacities> capacities;
  Standing standing;
  const auto cast = [&](const std::vector<Index>& hosts, std::vector<Cast>& into) {
    for (const auto& round : cast_rounds(all, hosts, standing.reference, seed + ++settled.rounds))
      for (const CastSet& set : round) {
        const std::vector<Cast> of = simulator.cast(set, 1'000'000 + settled.rounds);
        into.insert(into.end(), of.begin(), of.end());
      }
  };
  const auto judge = [&] {
    capacities.clear();
    for (Index rail = 0; rail < fleet.rails; ++rail) capacities.push_back(capacities_of(fleet, samples, casts, rail));
    standing = standing_of(fleet, capacities, levels, absent);
  };
  judge();
  if (!standing.all_reach) {
    cast(all, casts);
    judge();
  }
  settled.many = standing.many;
  settled.open = standing.open;
  std::vector<Slow> asked;
  std::set<Index> hosts;
  for (const Slow& slow : standing.slow)
    if (slow.by_level || standing.many) {
      asked.push_back(slow);
      hosts.insert(slow.host);
    }
  if (asked.empty()) return settled;
  const std::vector<Index> controls = controls_of(standing);
  hosts.insert(controls.begin(), controls.end());
  std::vector<Cast> again;
  for (int turn = 0; turn < 3; ++turn) cast({hosts.begin(), hosts.end()}, again);
  const Confirmed confirmed = confirmed_of(asked, again, capacities, controls);
  settled.slow = confirmed.slow;
  settled.open.insert(settled.open.end(), confirmed.open.begin(), confirmed.open.end());
  return settled;
}

}  // namespace railgauge::test

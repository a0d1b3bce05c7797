#include "tests/validate/settle.hpp"

#include <iterator>
#include <numeric>

namespace railgauge::test {

using namespace validate;

Levels no_levels(const Fleet& fleet) { return Levels(fleet.hosts.size(), std::vector<Level>(fleet.rails)); }

Settled settle(Simulator& simulator, const Samples& samples, const Levels& levels, std::uint64_t seed) {
  const Fleet& fleet = simulator.fleet();
  std::vector<Index> all(fleet.hosts.size());
  std::iota(all.begin(), all.end(), 0);
  Index turn = 0;
  return settle(fleet, samples, levels, std::vector<bool>(all.size(), false),
                [&](const std::vector<Index>& hosts, std::span<const Index> preferred) {
                  std::vector<Cast> casts;
                  for (const auto& round : cast_rounds(all, hosts, preferred, seed + ++turn))
                    for (const CastSet& set : round) {
                      const std::vector<Cast> of = simulator.cast(set, turn);
                      std::copy(of.begin(), of.end(), std::back_inserter(casts));
                    }
                  return casts;
                });
}

}  // namespace railgauge::test

// The watches of a session, one after the other.
#include "bench/watch/watches.hpp"

#include <algorithm>
#include <utility>

#include "reports/power/power.hpp"

namespace railgauge {

void Watched::give(Result& result) && {
  result.wire = std::move(wire);
  result.power = std::move(power);
}

Watches::Watches(Group& group, const Endpoint& endpoint, bool composed, const std::string& gpu, bool power)
    : wire_(group, endpoint, composed) {
  if (power) power_.emplace(group, PowerSources{.gpu = gpu});
}

void Watches::begin() {
  wire_.begin();
  if (power_) power_->begin();
}

Watched Watches::end(std::uint64_t asked, double moved) {
  if (power_) power_->stop();
  Watched watched;
  watched.wire = wire_.end(asked);
  if (power_) watched.power = power_->tell(moved / 1e9);
  return watched;
}

Watched Watches::end_round() {
  Watched watched;
  if (!power_) return watched;
  power_->stop();
  Power power = power_->tell(0);
  for (const EnergyUse& use : std::exchange(power.energy, {}))
    add_absence(power.absent, use.node, "energy of a pair", "several pairs run together");
  watched.power = std::move(power);
  return watched;
}

}  // namespace railgauge

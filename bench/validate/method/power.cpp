// Binomial: of n looks k or more are low with the chance I_p(k, n - k + 1), the regularised incomplete beta function.
#include "bench/validate/method/power.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace railgauge::validate {

PowerOfTimes power_of(Index looks, double usual, double most_p) {
  PowerOfTimes it;
  constexpr Index least_hits = 2;  // nobody is faulty for what was seen once
  for (it.hits = least_hits; it.hits <= looks; ++it.hits)
    if (boost::math::ibeta(it.hits, looks - it.hits + 1, usual) <= most_p) break;
  if (it.hits <= looks) it.share = boost::math::ibeta_inv(it.hits, looks - it.hits + 1.0, stated_power);
  return it;
}

Index looks_for(double share, double usual, double most_p, Index most) {
  Index few = 1, many = most;
  if (power_of(most, usual, most_p).share > share) return most;
  // More looks ask for more hits at times, which makes hardly a difference.
  while (few < many) {
    const Index middle = few + (many - few) / 2;
    if (power_of(middle, usual, most_p).share <= share)
      many = middle;
    else
      few = middle + 1;
  }
  return many;
}

std::optional<double> slowdown_of(const Fleet& fleet, const Model& model, const LocaliseOptions& options) {
  constexpr std::size_t fewest = 4;
  if (fleet.hosts.size() < fewest || model.rounds < least_rounds) return std::nullopt;
  const boost::math::normal_distribution<double> normal;
  const auto beyond = [&](double p) { return boost::math::quantile(boost::math::complement(normal, p)); };
  constexpr double directions = 3;  // each host is looked at sending, receiving, and both
  const double threshold = beyond(std::min(0.1, options.false_hosts / (directions * static_cast<double>(fleet.hosts.size()))));
  const double error = std::sqrt(model.spread.of_mean(fleet.rails, fleet.rails) / model.rounds);
  const double differ =
      model.hosts_differ * beyond(std::min(0.1, options.false_differing / static_cast<double>(fleet.hosts.size())));
  const double seen = beyond(1 - stated_power) * error;
  const double least = std::max(-std::log1p(-options.least.host), differ);
  return -std::expm1(-(seen + std::max(threshold * error, least)));
}

}  // namespace railgauge::validate

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
  // Of the rounds of a host two parameters were fitted; and the pairs that are left know their variance only so well: the most
  // that it may be counts.
  const double fitted = model.rounds > 2.5 ? model.rounds / (model.rounds - 2) : 5;
  const auto hosts = static_cast<double>(fleet.hosts.size());
  const double pairs = std::max(2.0, model.rounds * hosts / 2 - hosts);
  const double variance =
      model.spread.of_mean(fleet.rails, fleet.rails) * fitted * (1 + beyond(1 - stated_power) * std::sqrt(2 / pairs));
  const double error = std::sqrt(variance / model.rounds);
  const double differ =
      model.hosts_differ * beyond(std::min(0.1, options.false_differing / static_cast<double>(fleet.hosts.size())));
  const double least = std::max(-std::log1p(-options.least.host), differ);
  // A slow host is in a share of all pairs, and what it lacks adds to their scatter, until the scatter around the fit is taken
  // instead; and it lowers the mean from which it is measured (localise.cpp).
  const double share = 2 / static_cast<double>(fleet.hosts.size());
  constexpr double most_added = 1 / 0.6, most_shift = 0.15;
  double added = 1, slower = 0;
  constexpr int turns = 8;
  for (int turn = 0; turn < turns; ++turn) {
    const double its = error * std::sqrt(added);
    const double hidden = std::min(most_shift * model.scales.all, share * slower);
    slower = beyond(1 - stated_power) * its + std::max(threshold * its, least) + hidden;
    added = std::min(most_added, 1 + share * (1 - share) * slower * slower / variance);
  }
  return -std::expm1(-slower);
}

}  // namespace railgauge::validate

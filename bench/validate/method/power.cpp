// Binomial: of n looks k or more are low with the chance I_p(k, n - k + 1), the regularised incomplete beta function.
#include "bench/validate/method/power.hpp"

#include <boost/math/special_functions/beta.hpp>

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

}  // namespace railgauge::validate

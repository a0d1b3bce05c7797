// The differences of both directions, round by round: their median against their scatter.
#include "bench/validate/method/two_hosts.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>

#include "base/statistics/median.hpp"

namespace railgauge::validate {
Suspicion localise_two(const Fleet& fleet, const Samples& samples, const LocaliseOptions& options) {
  Suspicion found;
  std::map<std::pair<Index, Index>, double> directions[2];  // by group and rail
  for (const Sample& it : samples.list) directions[it.forward ? 1 : 0][{it.group, it.rail}] = it.log;
  std::map<Index, std::vector<double>> rails;  // of a group: forward less backward
  for (const auto& [key, forward] : directions[1])
    if (const auto back = directions[0].find(key); back != directions[0].end())
      rails[key.first].push_back(forward - back->second);
  std::vector<double> differences;
  for (auto& [group, its] : rails) differences.push_back(median(its));
  if (differences.size() < least_rounds) return found;
  found.candidates = 2;
  const double middle = median(differences), slower = -std::expm1(-std::fabs(middle));
  std::vector<double> around;
  for (const double one : differences) around.push_back(std::fabs(one - middle));
  // Of a median, whose own scatter is 1.25 of a mean's; normal distributions have two thirds within 1.48 median distances.
  constexpr double to_deviation = 1.4826, of_median = 1.2533;
  const double scatter = std::max(finest, to_deviation * median(around));
  const double z = std::fabs(middle) / (of_median * scatter / std::sqrt(static_cast<double>(differences.size())));
  const double least_z = boost::math::quantile(
      boost::math::complement(boost::math::normal_distribution<double>{}, std::min(0.1, options.false_hosts / 4)));
  if (slower < options.least.host || z < least_z) return found;
  const Index sender = middle < 0 ? 0 : 1, receiver = 1 - sender;
  Suspect suspect;
  suspect.component = {ComponentKind::host, Direction::out, sender, npos};
  suspect.rail = fleet.rails == 1 ? 0 : npos;
  suspect.slower = slower;
  suspect.z = z;
  suspect.rounds = static_cast<Index>(differences.size());
  suspect.rivals.push_back({{ComponentKind::host, Direction::in, receiver, npos}, suspect.rail, z});
  found.suspects.push_back(std::move(suspect));
  return found;
}

}  // namespace railgauge::validate

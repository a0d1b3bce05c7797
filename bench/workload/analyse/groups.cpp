// Sums and medians behind bench/workload/analyse/groups.hpp.
#include "bench/workload/analyse/groups.hpp"

#include <algorithm>
#include <map>

#include "base/bandwidth.hpp"
#include "base/statistics/median.hpp"
#include "bench/workload/analyse/gathering.hpp"

namespace railgauge {

std::vector<CallRates> rates_of(const Workload& workload, const Matches& matches, const Timeline& timeline) {
  struct Collected {
    CallRates rates;
    std::vector<double> busbw;
  };
  std::map<std::pair<std::string, std::string>, Collected> found;
  for (const Match& match : matches.all) {
    const Match::Member& first = match.members.front();
    const WorkNode& node = workload.nodes[static_cast<std::size_t>(first.rank)][first.node];
    const ProcessGroup& group = workload.groups[static_cast<std::size_t>(node.group)];
    const bool collective = node.work == WorkKind::collective;
    const std::string& kind = group.label();
    const std::string call = collective ? std::string(name(node.collective)) : "message";
    Collected& its = found[{kind, call}];
    const int ranks = group.size();
    its.rates.group = kind;
    its.rates.call = call;
    its.rates.ranks = std::max(its.rates.ranks, collective ? ranks : 2);
    const Gathering all = gathering_of(workload, match, timeline);
    const double seconds = all.end - all.together;
    ++its.rates.calls;
    its.rates.bytes += all.bytes;
    its.rates.seconds += seconds;
    its.rates.waiting += all.waiting;
    const double factor = collective ? bandwidth_factors(node.collective, ranks).busbw : 1;
    if (seconds > 0) its.busbw.push_back(factor * static_cast<double>(all.bytes) / seconds);
  }
  std::vector<CallRates> result;
  for (auto& [key, its] : found) {
    its.rates.median_busbw = median(its.busbw);
    result.push_back(std::move(its.rates));
  }
  return result;
}

}  // namespace railgauge

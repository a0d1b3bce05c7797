// Sizes of the same groups are costed at once; bench/workload/predict/call_times.hpp.
#include "bench/workload/predict/call_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/statistics/samples.hpp"
#include "bench/predict/costing.hpp"
#include "bench/schedule/algorithms/catalog.hpp"

namespace railgauge {
namespace {

constexpr std::uint64_t most_messages = 400'000;  // sends and receives of one call that are simulated

struct Best {
  double seconds = 0;
  std::string_view algorithm;  // empty: none
  bool in_step = false;
};

// The algorithms of a collective that were asked for; all where none of it was.
std::vector<const Algorithm*> algorithms_of(Collective collective, const std::vector<std::string>& asked) {
  std::vector<const Algorithm*> all, some;
  for (const Algorithm& row : catalog()) {
    if (row.collective != collective) continue;
    all.push_back(&row);
    if (std::find(asked.begin(), asked.end(), row.name) != asked.end()) some.push_back(&row);
  }
  return some.empty() ? all : some;
}

// No algorithm takes less: its rounds have a latency each, and the busiest rank sends its bytes by all of its links.
class Bound {
 public:
  explicit Bound(const predict::Links& links) {
    const predict::Costs& costs = links.constants.costs;
    latency_ = std::min({costs.gpu_links, costs.pcie, costs.network});
    std::vector<double> leaving(links.network.vertices.size(), 0);
    for (std::size_t arc = 0; arc < links.capacities.size(); ++arc)
      leaving[links.network.arcs[arc].from] += links.capacities[arc];
    for (const std::uint32_t vertex : links.network.ranks) fastest_ = std::max(fastest_, leaving[vertex]);
  }
  [[nodiscard]] double seconds(const Algorithm& algorithm, const Shape& shape, std::uint64_t bytes) const {
    const Cost cost = algorithm.cost(shape);
    // A tenth less: blocks are whole elements, and all_to_all_v has its own counts.
    const double sent = algorithm.collective == Collective::all_to_all_v ? 0 : cost.bytes * static_cast<double>(bytes) * 0.9;
    return cost.rounds * latency_ + (fastest_ > 0 ? sent / fastest_ : 0);
  }

 private:
  double latency_ = 0, fastest_ = 0;
};

// Of each size; `refusals`: why algorithms do not serve, a sentence.
std::vector<Best> best_of(const predict::Links& links, const predict::Question& question, const std::vector<std::uint64_t>& sizes,
                          const std::vector<std::string>& asked, std::string& refusals) {
  std::vector<Best> best(sizes.size());
  const predict::Costing costing(links, question);
  const Bound bound(links);
  std::vector<const Algorithm*> rows;
  for (const Algorithm* const row : algorithms_of(question.collective, asked)) {
    const std::string why = row->why_not(costing.shape());
    if (why.empty())
      rows.push_back(row);
    else
      refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", row->name, why);
  }
  const auto bound_of = [&](const Algorithm* row, std::uint64_t elements) {
    return bound.seconds(*row, costing.shape(), elements * bytes_of(question.type));
  };
  const std::uint64_t largest = *std::max_element(sizes.begin(), sizes.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Algorithm* a, const Algorithm* b) { return bound_of(a, largest) < bound_of(b, largest); });
  for (const Algorithm* const row : rows) {
    std::vector<std::size_t> open;  // sizes for which it may be the best
    std::vector<std::uint64_t> those;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!best[i].algorithm.empty() && bound_of(row, sizes[i]) >= best[i].seconds) continue;
      open.push_back(i);
      those.push_back(sizes[i]);
    }
    if (open.empty()) continue;
    const predict::Costed costed = costing.cost(*row, those);
    if (!costed.refusal.empty()) {
      refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", row->name, costed.refusal);
      continue;
    }
    for (std::size_t k = 0; k < open.size(); ++k) {
      std::vector<double> sorted = costed.drawn[k].seconds;
      std::sort(sorted.begin(), sorted.end());
      const double seconds = nearest_rank(sorted, 0.5);
      Best& its = best[open[k]];
      if (its.algorithm.empty() || seconds < its.seconds)
        its = {seconds, row->name, costed.drawn[k].method == predict::Method::in_step};
    }
  }
  return best;
}

}  // namespace

CallTimes call_times(const predict::Links& links, const Calls& calls, const predict::Question& question) {
  std::map<std::tuple<Collective, Type, int, std::vector<std::uint64_t>, std::vector<std::vector<std::int32_t>>>,
           std::vector<std::size_t>>
      alike;  // calls that differ in their elements alone
  for (std::size_t i = 0; i < calls.all.size(); ++i) {
    const Together& call = calls.all[i];
    alike[{call.what, call.type, call.root, call.counts, call.groups}].push_back(i);
  }
  CallTimes times;
  times.seconds.resize(calls.all.size());
  std::set<std::string> used;
  predict::Question its = question;
  its.busiest = false;
  its.most_messages = most_messages;
  its.window = 1;
  its.sizes.clear();
  for (const auto& [key, members] : alike) {
    const Together& first = calls.all[members.front()];
    if (first.groups.front().size() < 2) continue;  // one rank alone sends nothing
    its.collective = first.what;
    its.type = first.type;
    its.root = first.root;
    its.counts = first.counts;
    its.groups = first.groups;
    std::vector<std::uint64_t> sizes;
    for (const std::size_t each : members) sizes.push_back(calls.all[each].elements);
    std::string refusals;
    const std::vector<Best> best = best_of(links, its, sizes, question.algorithms, refusals);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (best[i].algorithm.empty())
        throw Error(Fault::usage, fmt::format("{} of {} in {} groups of {} ranks, {} elements, cannot be predicted: {}",
                                              name(first.what), first.kind, first.groups.size(), first.groups.front().size(),
                                              calls.all[members[i]].elements, refusals));
      times.seconds[members[i]] = best[i].seconds;
      if (first.what == Collective::stream) continue;
      used.insert(
          fmt::format("{} of {} by {}{}", name(first.what), first.kind, best[i].algorithm, best[i].in_step ? " (~)" : ""));
    }
  }
  times.algorithms.assign(used.begin(), used.end());
  return times;
}

}  // namespace railgauge

// Curves of measured times, and the cost model.
#include "bench/select/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/rooted.hpp"
#include "base/statistics/samples.hpp"
#include "bench/group/host.hpp"
#include "bench/plan/collective_spec.hpp"

namespace railgauge {
namespace {

// Orders of magnitude, which decide only until `bench tune` has measured.
struct Costs {
  std::string_view transport;   // empty: any other
  double round, sent, touched;  // seconds; the latter two a byte
};
constexpr std::array of_host{
    Costs{"shm", 0.2e-6, 0.02e-9, 0.05e-9},
    Costs{"memory", 0.4e-6, 0.02e-9, 0.05e-9},
    Costs{"", 3e-6, 0.1e-9, 0.05e-9},
};
// Of GPUs. A round is a flag that a kernel awaits (cuda_ipc); a launch of NCCL's sends and receives and one of the kernel that
// reduces (nccl); a card that the host tells what to do once the stream has come so far (verbs, ucx); the same with copies to
// and from memory of the host (shm, memory, and whatever else cannot reach a GPU).
constexpr std::array of_gpu{
    Costs{"cuda_ipc", 2e-6, 0.003e-9, 0.0005e-9}, Costs{"nccl", 12e-6, 0.005e-9, 0.0005e-9},
    Costs{"verbs", 10e-6, 0.03e-9, 0.0005e-9},    Costs{"ucx", 12e-6, 0.04e-9, 0.0005e-9},
    Costs{"", 25e-6, 0.1e-9, 0.0005e-9},
};
constexpr double touched_by_link = 0.03e-9;  // in memory of the host, which kernels of a GPU read by PCIe

Costs costs_of(std::string_view transport, std::string_view memory) {
  const auto of = [&](const auto& rows) {
    return *std::find_if(rows.begin(), rows.end(),
                         [&](const Costs& each) { return each.transport == transport || each.transport.empty(); });
  };
  if (memory == "host") return of(of_host);
  Costs costs = of(of_gpu);
  if (memory != "cuda") costs.touched = touched_by_link;
  return costs;
}

constexpr std::uint64_t largest_element = 16;  // at least as many bytes as any type has

constexpr int largest_built = 64;  // beyond, a schedule is not built only to count what it touches

std::string key(std::string_view collective, std::string_view mode, int ranks, bool in_place, const Situation& situation) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", collective, mode, situation.transport, ranks, situation.nodes,
                     in_place ? 1 : 0, situation.cpu, situation.memory, situation.gpu);
}

std::string key(const Case& point, const std::string& cpu, const std::string& gpu) {
  return key(point.collective, point.mode, point.ranks, point.in_place, {point.transport, point.nodes, cpu, point.device, gpu});
}

// Bytes that the busiest of a few ranks reads in copies and reductions.
double touched(const Algorithm& algorithm, const Shape& shape, std::uint64_t bytes) {
  const CollectiveRow& collective = row(algorithm.collective);
  if (shape.ranks > largest_built) return collective.reduces ? algorithm.cost(shape).bytes * static_cast<double>(bytes) : 0.0;
  CollectiveSpec spec;
  spec.algorithm = &algorithm;
  spec.type = Type::uint8;
  spec.op = collective.reduces ? Op::sum : Op::none;
  spec.shape = shape;
  spec.elements = used_elements(algorithm.collective, shape.ranks, bytes);
  const auto parts = static_cast<std::uint64_t>(shape.ranks);
  if (algorithm.equal_blocks) spec.elements = (spec.elements + parts - 1) / parts * parts;
  RankParts all(spec);
  double most = 0;
  for (const std::int32_t rank : {shape.root, (shape.root + 1) % shape.ranks}) {
    double sum = 0;
    for (const ResolvedRound& round : all.of(rank).lanes.front())
      for (const ResolvedLocal& local : round.locals) sum += static_cast<double>(local.source.size());
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

Seconds expected_time(const Algorithm& algorithm, const Shape& shape, std::uint64_t bytes, std::string_view transport,
                      std::string_view memory) {
  const Costs costs = costs_of(transport, memory);
  const Cost cost = algorithm.cost(shape);
  return Seconds(cost.rounds * costs.round + cost.bytes * static_cast<double>(bytes) * costs.sent +
                 touched(algorithm, shape, bytes) * costs.touched);
}

std::vector<Ranking> rank(const std::vector<Result>& results) {
  struct Measured {
    const Result* first = nullptr;
    std::map<std::string, std::vector<double>> times;  // by algorithm, in the order of `results`
  };
  std::map<std::pair<std::string, std::uint64_t>, Measured> measured;  // by what decides, and size
  for (const Result& result : results) {
    if (result.status != Status::ok && result.status != Status::not_converged) continue;
    const Case& point = result.point;
    if (point.lanes != 1 || result.summary.median.count() <= 0) continue;
    if (point.collective == name(Collective::all_to_all_v) && point.seed) continue;  // of counts that others do not have
    Measured& group = measured[{key(point, result.host.cpu, gpu_of(result)), point.bytes}];
    if (group.first == nullptr) group.first = &result;
    group.times[point.algorithm].push_back(result.summary.median.count());
  }
  std::vector<Ranking> rankings;
  for (const auto& [what, group] : measured) {
    std::size_t passes = group.times.begin()->second.size();
    for (const auto& [algorithm, own] : group.times) passes = std::min(passes, own.size());
    std::vector<double> least(passes, std::numeric_limits<double>::infinity());
    for (const auto& [algorithm, own] : group.times)
      for (std::size_t pass = 0; pass < passes; ++pass) least[pass] = std::min(least[pass], own[pass]);
    const double best = *std::min_element(least.begin(), least.end());
    Ranking ranking{group.first->point, group.first->host.cpu, gpu_of(*group.first), passes, {}};
    for (const auto& [algorithm, own] : group.times) {
      std::vector<double> behind(passes);
      for (std::size_t pass = 0; pass < passes; ++pass) behind[pass] = own[pass] / least[pass];
      std::sort(behind.begin(), behind.end());
      ranking.places.push_back({algorithm, best * nearest_rank(behind, 0.5)});
    }
    std::stable_sort(ranking.places.begin(), ranking.places.end(),
                     [](const Ranking::Place& a, const Ranking::Place& b) { return a.seconds < b.seconds; });
    rankings.push_back(std::move(ranking));
  }
  return rankings;
}

Chooser::Chooser(const std::vector<Result>& results) {
  for (const Ranking& ranking : rank(results))
    for (const Ranking::Place& place : ranking.places)
      curves_[key(ranking.point, ranking.cpu, ranking.gpu)][place.algorithm].push_back({ranking.point.bytes, place.seconds});
}

const Chooser::Curves* Chooser::curves_of(Collective collective, int ranks, bool in_place, const Situation& situation) const {
  const bool isolated = is_rooted_collective(collective) && situation.memory == "host";
  for (const std::string_view mode : {isolated ? "isolated" : "back-to-back", "back-to-back", "isolated", "window", "fixed"})
    if (const auto found = curves_.find(key(name(collective), mode, ranks, in_place, situation)); found != curves_.end())
      return &found->second;
  return nullptr;
}

double Chooser::at(const std::vector<Sample>& curve, std::uint64_t bytes) {
  const auto after = std::lower_bound(curve.begin(), curve.end(), bytes,
                                      [](const Sample& sample, std::uint64_t size) { return sample.bytes < size; });
  if (after == curve.begin()) return curve.front().seconds;
  if (after == curve.end()) {
    const Sample& last = curve.back();
    return last.seconds * (static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(1, last.bytes)));
  }
  const Sample& before = *(after - 1);
  if (before.bytes == 0) return after->bytes == bytes ? after->seconds : before.seconds;
  const double part = std::log(static_cast<double>(bytes) / static_cast<double>(before.bytes)) /
                      std::log(static_cast<double>(after->bytes) / static_cast<double>(before.bytes));
  return before.seconds * std::pow(after->seconds / before.seconds, part);
}

const Algorithm* Chooser::choose(Collective collective, const Shape& shape, std::uint64_t bytes, std::uint64_t element_bytes,
                                 bool in_place, const Situation& situation, std::span<const Algorithm* const> files) const {
  const std::uint64_t elements = used_elements(collective, shape.ranks, bytes / element_bytes);
  const Curves* const curves = curves_of(collective, shape.ranks, in_place, situation);
  const Algorithm* best = nullptr;
  double least = 0;
  const auto consider = [&](const Algorithm& algorithm, double seconds) {
    if (best != nullptr && seconds >= least) return;
    best = &algorithm;
    least = seconds;
  };
  for (const Algorithm* const file : files) {
    if (curves == nullptr || file->collective != collective || !file->why_not(shape).empty() || !file->stored->takes(bytes))
      continue;
    if (!(in_place ? file->in_place : file->out_of_place())) continue;
    // Whatever the type of the elements.
    if (file->equal_blocks && bytes % (largest_element * file->stored->ranks.front().blocks) != 0) continue;
    const auto curve = curves->find(std::string(file->name));
    if (curve != curves->end()) consider(*file, at(curve->second, bytes));
  }
  for (const bool measured : {true, false}) {
    for (const Algorithm& algorithm : catalog()) {
      if (algorithm.collective != collective || (in_place && !algorithm.in_place) || !algorithm.refusal(shape).empty()) continue;
      if (algorithm.equal_blocks && elements % static_cast<std::uint64_t>(shape.ranks) != 0) continue;
      if (collective == Collective::pairs && best != nullptr) continue;  // one_way and two_way measure different things
      if (!measured) {
        consider(algorithm, expected_time(algorithm, shape, bytes, situation.transport, situation.memory).count());
      } else if (curves != nullptr && collective != Collective::pairs) {
        const auto curve = curves->find(std::string(algorithm.name));
        if (curve != curves->end()) consider(algorithm, at(curve->second, bytes));
      }
    }
    if (best != nullptr) break;
  }
  return best;
}

Choose choice_of(const Chooser& chooser, Situation situation, std::vector<const Algorithm*> files) {
  return [&chooser, situation = std::move(situation), files = std::move(files)](
             Collective collective, const Shape& shape, std::uint64_t bytes, std::uint64_t element_bytes, bool in_place) {
    return chooser.choose(collective, shape, bytes, element_bytes, in_place, situation, files);
  };
}

}  // namespace railgauge

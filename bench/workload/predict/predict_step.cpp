// Costs, replays and sums up; bench/workload/predict/predict_step.hpp.
#include "bench/workload/predict/predict_step.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "bench/predict/links.hpp"
#include "bench/workload/analyse/exposed.hpp"
#include "bench/workload/predict/call_times.hpp"
#include "bench/workload/replay.hpp"

namespace railgauge {
namespace {

// Of the rank that computes longest, with nothing between its computations.
double computation_alone(const Workload& workload, const std::function<double(int, std::uint32_t)>& computation) {
  Workload alone;
  alone.ranks = workload.ranks;
  alone.nodes = workload.nodes;
  for (std::vector<WorkNode>& list : alone.nodes)
    for (WorkNode& node : list)
      if (node.communicates()) node.work = WorkKind::marker;
  return length_of(replay(alone, matches_of(alone), {computation, [](const Match&) { return 0.0; }}));
}

}  // namespace

StepRecord record_of(const Workload& workload, const Timeline& timeline) {
  StepRecord record;
  record.step = 1;
  record.seconds = length_of(timeline);
  for (std::size_t rank = 0; rank < timeline.size(); ++rank) {
    const RankExposure its = exposure_of(workload.nodes[rank], timeline[rank]);
    record.computing += its.computing / static_cast<double>(timeline.size());
    record.communicating += its.all.communicating / static_cast<double>(timeline.size());
    record.exposed += its.all.exposed / static_cast<double>(timeline.size());
  }
  return record;
}

PredictedStep predict_step(const topo::Graph& graph, const Folded& folded, const StepQuestion& question) {
  const Workload& workload = folded.step;
  predict::Question asked = question.links;
  asked.ranks = static_cast<unsigned>(workload.ranks) * static_cast<unsigned>(folded.block);
  const Matches matches = matches_of(workload);
  const Calls calls = calls_of(folded, matches);
  CallTimes times;
  PredictedStep predicted;
  if (!calls.all.empty()) {
    const predict::Links links(graph, asked);
    times = call_times(links, calls, asked);
    predicted.assumed = links.constants.assumed;
    predicted.assumed.push_back(predict::text_of_routing(links, asked));
  }
  const auto computation = [&](int rank, std::uint32_t node) {
    return question.computes ? workload.nodes[static_cast<std::size_t>(rank)][node].duration.count() : 0;
  };
  const auto communication = [&](const Match& match) {
    return times.seconds[calls.of_match[static_cast<std::size_t>(&match - matches.all.data())]];
  };
  RunResult& result = predicted.result;
  result.predicted = true;
  result.timeline = replay(workload, matches, {computation, communication});
  StepRecord record = record_of(workload, result.timeline);
  record.alone_communication = length_of(replay(workload, matches, {[](int, std::uint32_t) { return 0.0; }, communication}));
  record.alone_computation = computation_alone(workload, computation);
  result.steps.push_back(record);
  result.shown = 1;
  result.algorithms = std::move(times.algorithms);
  return predicted;
}

}  // namespace railgauge

// Medians and means behind bench/workload/analyse/figures.hpp.
#include "bench/workload/analyse/figures.hpp"

#include <algorithm>
#include <map>

#include "base/statistics/median.hpp"
#include "bench/workload/analyse/gathering.hpp"

namespace railgauge {
namespace {

double median_of(const std::vector<StepRecord>& steps, double StepRecord::* field) {
  std::vector<double> values;
  for (const StepRecord& step : steps) values.push_back(step.*field);
  return median(values);
}

std::vector<StreamFigures> streams_of(const Workload& workload, const std::vector<RankExposure>& exposures) {
  std::map<int, StreamFigures> streams;
  for (std::size_t rank = 0; rank < exposures.size(); ++rank) {
    for (const auto& [number, exposure] : exposures[rank].of_stream) {
      StreamFigures& stream = streams[number];
      stream.stream = number;
      stream.exposure.communicating += exposure.communicating;
      stream.exposure.exposed += exposure.exposed;
      ++stream.ranks;
    }
    for (const WorkNode& node : workload.nodes[rank])
      if (node.communicates()) streams[node.stream].groups.insert(workload.groups[static_cast<std::size_t>(node.group)].label());
  }
  std::vector<StreamFigures> result;
  for (auto& [number, stream] : streams) {
    stream.exposure.communicating /= stream.ranks;
    stream.exposure.exposed /= stream.ranks;
    result.push_back(std::move(stream));
  }
  return result;
}

std::vector<RankFigures> ranks_of(const Workload& workload, const Matches& matches, const Timeline& timeline,
                                  const std::vector<RankExposure>& exposures, const std::vector<double>& waiting) {
  std::vector<RankFigures> ranks;
  for (std::size_t rank = 0; rank < exposures.size(); ++rank)
    ranks.push_back({exposures[rank].computing, exposures[rank].all, waiting[rank], 0, 0});
  for (const Match& match : matches.all) {
    if (match.members.size() < 2) continue;
    const Gathering all = gathering_of(workload, match, timeline);
    RankFigures& its = ranks[static_cast<std::size_t>(all.last)];
    ++its.last;
    its.keeps_waiting += all.waiting;
  }
  return ranks;
}

}  // namespace

StepFigures figures_of(const Workload& workload, const std::vector<StepRecord>& steps) {
  StepFigures figures;
  if (steps.empty()) return figures;
  std::vector<double> times, hidden;
  for (const StepRecord& step : steps) {
    times.push_back(step.seconds);
    const double shorter = std::min(step.alone_communication, step.alone_computation);
    if (shorter > 0) hidden.push_back((step.alone_communication + step.alone_computation - step.seconds) / shorter);
  }
  figures.step = summarise(times);
  if (figures.step.median > 0) figures.items_per_second = workload.items_per_step * workload.steps / figures.step.median;
  figures.computing = median_of(steps, &StepRecord::computing);
  figures.communicating = median_of(steps, &StepRecord::communicating);
  figures.exposed = median_of(steps, &StepRecord::exposed);
  figures.alone_communication = median_of(steps, &StepRecord::alone_communication);
  figures.alone_computation = median_of(steps, &StepRecord::alone_computation);
  if (!hidden.empty()) figures.overlap_efficiency = median(hidden);
  return figures;
}

TimelineFigures figures_of(const Workload& workload, const Matches& matches, const RunResult& result) {
  const Timeline& timeline = result.timeline;
  TimelineFigures figures;
  const std::vector<double> waiting = exposed_waiting(workload, matches, timeline);
  for (const double its : waiting) figures.waiting += its / static_cast<double>(waiting.size());
  const auto shown =
      std::find_if(result.steps.begin(), result.steps.end(), [&](const StepRecord& step) { return step.step == result.shown; });
  if (shown != result.steps.end()) {
    figures.seconds = shown->seconds;
    figures.computing = shown->computing;
    figures.exposed = shown->exposed;
  }
  figures.transferring = std::max(0.0, figures.exposed - figures.waiting);
  figures.without_communication = without_communication(workload, matches, timeline);
  std::vector<RankExposure> exposures;
  for (std::size_t rank = 0; rank < timeline.size(); ++rank)
    exposures.push_back(exposure_of(workload.nodes[rank], timeline[rank]));
  figures.ranks = ranks_of(workload, matches, timeline, exposures, waiting);
  figures.streams = streams_of(workload, exposures);
  figures.calls = rates_of(workload, matches, timeline);
  figures.path = critical_path(workload, matches, timeline);
  return figures;
}

}  // namespace railgauge

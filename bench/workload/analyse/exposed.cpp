// Unions and differences of intervals; bench/workload/analyse/exposed.hpp.
#include "bench/workload/analyse/exposed.hpp"

#include <algorithm>

#include "bench/workload/analyse/gathering.hpp"
#include "bench/workload/replay.hpp"

namespace railgauge {

Spans united(Spans spans) {
  std::erase_if(spans, [](const Interval& span) { return span.end <= span.start; });
  std::sort(spans.begin(), spans.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Spans result;
  for (const Interval& span : spans) {
    if (!result.empty() && span.start <= result.back().end)
      result.back().end = std::max(result.back().end, span.end);
    else
      result.push_back(span);
  }
  return result;
}

Spans without(const Spans& from, const Spans& what) {
  Spans result;
  auto next = what.begin();
  for (Interval span : from) {
    while (next != what.end() && next->end <= span.start) ++next;
    for (auto cut = next; cut != what.end() && cut->start < span.end; ++cut) {
      if (cut->start > span.start) result.push_back({span.start, cut->start});
      span.start = std::max(span.start, cut->end);
    }
    if (span.end > span.start) result.push_back(span);
  }
  return result;
}

double length(const Spans& spans) {
  double sum = 0;
  for (const Interval& span : spans) sum += span.length();
  return sum;
}

namespace {

Spans computing_of(std::span<const WorkNode> nodes, std::span<const Interval> times) {
  Spans spans;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].work == WorkKind::compute) spans.push_back(times[i]);
  return united(std::move(spans));
}

Spans communicating_of(std::span<const WorkNode> nodes, std::span<const Interval> times) {
  Spans spans;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].communicates()) spans.push_back(times[i]);
  return united(std::move(spans));
}

}  // namespace

RankExposure exposure_of(std::span<const WorkNode> nodes, std::span<const Interval> times) {
  const Spans computing = computing_of(nodes, times);
  std::map<int, Spans> streams;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].communicates()) streams[nodes[i].stream].push_back(times[i]);
  const auto exposure = [&](const Spans& spans) { return Exposure{length(spans), length(without(spans, computing))}; };
  RankExposure result{length(computing), exposure(communicating_of(nodes, times)), {}};
  for (auto& [stream, spans] : streams) result.of_stream[stream] = exposure(united(std::move(spans)));
  return result;
}

Spans exposed_spans(std::span<const WorkNode> nodes, std::span<const Interval> times) {
  return without(communicating_of(nodes, times), computing_of(nodes, times));
}

std::vector<double> exposed_waiting(const Workload& workload, const Matches& matches, const Timeline& timeline) {
  std::vector<Spans> transferring(timeline.size());
  for (const Match& match : matches.all) {
    const Gathering all = gathering_of(workload, match, timeline);
    for (const Match::Member& member : match.members) {
      const Interval& its = timeline[static_cast<std::size_t>(member.rank)][member.node];
      transferring[static_cast<std::size_t>(member.rank)].push_back({std::max(its.start, all.together), its.end});
    }
  }
  std::vector<double> waiting;
  for (std::size_t rank = 0; rank < timeline.size(); ++rank)
    waiting.push_back(length(exposed_spans(workload.nodes[rank], timeline[rank])) -
                      length(without(united(transferring[rank]), computing_of(workload.nodes[rank], timeline[rank]))));
  return waiting;
}

double without_communication(const Workload& workload, const Matches& matches, const Timeline& timeline) {
  return length_of(replay(workload, matches,
                          {[&](int rank, std::uint32_t node) { return timeline[static_cast<std::size_t>(rank)][node].length(); },
                           [](const Match&) { return 0.0; }}));
}

}  // namespace railgauge

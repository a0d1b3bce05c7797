// Writes events; bench/workload/report/chrome_trace.hpp.
#include "bench/workload/report/chrome_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/workload/agree.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/show/show.hpp"
#include "bench/workload/show/streams.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

Json metadata(const char* what, std::size_t rank, int stream, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", stream}, {"args", {{"name", name}}}};
}

// Of an event: microseconds, to the nanosecond, so that a node ends no later than the next of its stream begins.
std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }
double microseconds(std::int64_t its) { return static_cast<double>(its) / 1e3; }

// An arrow from where a message is sent into where it is received.
std::vector<Json> flow(std::uint32_t number, const Match& match, const Workload& workload, const Timeline& timeline) {
  const Match::Member &from = match.members[0], &to = match.members[1];
  const auto sender = static_cast<std::size_t>(from.rank), receiver = static_cast<std::size_t>(to.rank);
  const Interval &send = timeline[sender][from.node], &receive = timeline[receiver][to.node];
  const std::int64_t begin = nanoseconds(send.start), until = nanoseconds(receive.end);
  const std::int64_t arrival = until - (until - std::max(begin, nanoseconds(receive.start))) / 2;
  if (arrival < begin || arrival >= until || nanoseconds(send.end) <= begin) return {};  // a clock is too coarse for it
  const auto event = [&](const char* phase, std::int64_t at, std::size_t rank, std::uint32_t node) {
    return Json{{"name", "message"},
                {"cat", "communication"},
                {"ph", phase},
                {"id", number},
                {"ts", microseconds(at)},
                {"pid", rank},
                {"tid", workload.nodes[rank][node].stream}};
  };
  Json end = event("f", arrival, receiver, to.node);
  end["bp"] = "e";
  return {event("s", begin, sender, from.node), std::move(end)};
}

std::string line(const Json& event) { return event.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string chrome_trace(const Workload& workload, const Timeline& timeline) {
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  bool first = true;
  const auto add = [&](const Json& event) {
    text += (first ? "" : ",\n") + line(event);
    first = false;
  };
  for (std::size_t rank = 0; rank < timeline.size(); ++rank) {
    const std::vector<WorkNode>& nodes = workload.nodes[rank];
    add(metadata("process_name", rank, 0, fmt::format("rank {}", rank)));
    for (const auto& [stream, name] : stream_names(workload, nodes)) add(metadata("thread_name", rank, stream, name));
    for (std::size_t i = 0; i < timeline[rank].size(); ++i) {
      const WorkNode& node = nodes[i];
      if (node.work == WorkKind::marker) continue;
      Json arguments = {{"reason", node.reason}};
      if (node.communicates()) {
        const ProcessGroup& group = workload.groups[static_cast<std::size_t>(node.group)];
        arguments["call"] = call_name(node);
        arguments["group"] = group.name;
        arguments["ranks"] = text_of_ranks(group.ranks);
        arguments["bytes"] = node.bytes();
        arguments["type"] = name(node.type);
      }
      const Interval& its = timeline[rank][i];
      add({{"name", node.name},
           {"cat", node.communicates() ? "communication" : "computation"},
           {"ph", "X"},
           {"ts", microseconds(nanoseconds(its.start))},
           {"dur", microseconds(nanoseconds(its.end) - nanoseconds(its.start))},
           {"pid", rank},
           {"tid", node.stream},
           {"args", std::move(arguments)}});
    }
  }
  const Matches matches = timeline.empty() ? Matches() : matches_of(workload);
  for (std::uint32_t i = 0; i < matches.all.size(); ++i) {
    const Match& match = matches.all[i];
    const Match::Member& first = match.members.front();
    if (workload.nodes[static_cast<std::size_t>(first.rank)][first.node].work == WorkKind::send && match.members.size() == 2)
      for (const Json& event : flow(i, match, workload, timeline)) add(event);
  }
  return text + "\n]}\n";
}

}  // namespace railgauge

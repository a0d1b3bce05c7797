// The graph of what a program issues and waits for, as far as a trace tells it.
#include <fmt/format.h>

#include <tuple>

#include "base/error.hpp"
#include "bench/workload/read/rank_trace.hpp"

namespace railgauge {

void expect_room(const RankTrace& trace) {
  if (trace.nodes.size() >= most_nodes)
    throw Error(Fault::usage, fmt::format("{}: it has more than {} nodes: trace fewer steps", trace.origin, most_nodes));
}

int group_of(RankTrace& trace, const std::string& name, const std::string& kind) {
  if (const auto found = trace.by_name.find(name); found != trace.by_name.end()) return found->second;
  if (trace.groups.size() >= most_groups)
    throw Error(Fault::usage, fmt::format("{}: it has more than {} groups", trace.origin, most_groups));
  TraceGroup made;
  made.name = name;
  made.kind = kind;
  trace.groups.push_back(std::move(made));
  trace.by_name.emplace(name, static_cast<int>(trace.groups.size()) - 1);
  return static_cast<int>(trace.groups.size()) - 1;
}

std::vector<std::uint32_t> IssueOrder::after() {
  if (frontier_.size() > 1) {
    expect_room(trace_);
    WorkNode both;
    both.work = WorkKind::marker;
    both.name = "wait";
    both.after.assign(frontier_.begin(), frontier_.end());
    frontier_ = {static_cast<std::uint32_t>(trace_.nodes.size())};
    trace_.nodes.push_back(std::move(both));
  }
  return {frontier_.begin(), frontier_.end()};
}

std::uint32_t IssueOrder::call(TracedCall call) {
  expect_room(trace_);
  WorkNode& node = call.node;
  node.after = after();
  const bool message = node.work != WorkKind::collective;
  const auto key = std::tuple(node.group, message ? static_cast<int>(node.work) : 0, message ? node.peer : 0);
  node.stream = streams_.try_emplace(key, static_cast<int>(streams_.size()) + 1).first->second;
  const auto at = static_cast<std::uint32_t>(trace_.nodes.size());
  if (call.share) trace_.shares.push_back(at);
  if (call.global) trace_.global.insert(at);
  trace_.nodes.push_back(std::move(node));
  return at;
}

void IssueOrder::compute(WorkNode node) {
  expect_room(trace_);
  node.after = after();
  node.work = WorkKind::compute;
  node.stream = 0;
  frontier_ = {static_cast<std::uint32_t>(trace_.nodes.size())};
  trace_.nodes.push_back(std::move(node));
}

void IssueOrder::compute(Seconds duration, const std::string& name, std::optional<Seconds> start) {
  if (!(duration.count() > 0)) return;
  WorkNode node;
  node.name = name;
  node.duration = duration;
  node.start = start;
  compute(std::move(node));
}

void IssueOrder::wait(std::uint32_t node) {
  // What the node itself waited for is past.
  for (const std::uint32_t before : trace_.nodes[node].after) frontier_.erase(before);
  frontier_.insert(node);
}

}  // namespace railgauge

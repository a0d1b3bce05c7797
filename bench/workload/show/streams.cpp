// Joins what the nodes of a stream are; bench/workload/show/streams.hpp.
#include "bench/workload/show/streams.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "bench/workload/show/show.hpp"

namespace railgauge {

std::map<int, std::string> stream_names(const Workload& workload, const std::vector<WorkNode>& nodes) {
  std::map<int, std::set<std::string>> kinds;
  for (const WorkNode& node : nodes) {
    std::set<std::string>& its = kinds[node.stream];
    if (node.work == WorkKind::marker) continue;
    std::string what = node.communicates() ? workload.groups[static_cast<std::size_t>(node.group)].label() : "compute";
    if (node.work == WorkKind::send || node.work == WorkKind::receive) what += fmt::format(" {}", call_name(node));
    its.insert(std::move(what));
  }
  std::map<int, std::string> names;
  for (const auto& [stream, its] : kinds) names[stream] = fmt::format("{}", fmt::join(its, ", "));
  return names;
}

}  // namespace railgauge

// The arithmetic behind bench/workload/scale.hpp.
#include "bench/workload/scale.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace railgauge {
namespace {

std::uint64_t times(std::uint64_t elements, double factor, std::uint64_t multiple) {
  if (elements == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::llround(static_cast<double>(elements) * factor));
  if (multiple > 1 && elements % multiple == 0) return std::max(multiple, wanted / multiple * multiple);
  return std::max<std::uint64_t>(1, wanted);
}

}  // namespace

Workload scaled(Workload workload, double factor) {
  for (std::vector<WorkNode>& list : workload.nodes)
    for (WorkNode& node : list) {
      node.duration *= factor;
      node.flops *= factor;
      if (node.start) *node.start *= factor;
      if (!node.communicates()) continue;
      if (node.send_counts.empty() && node.receive_counts.empty()) {
        const std::uint64_t ranks = workload.groups[static_cast<std::size_t>(node.group)].ranks.size();
        node.elements = times(node.elements, factor, node.work == WorkKind::collective ? ranks : 1);
        continue;
      }
      for (std::vector<std::uint64_t>* const counts : {&node.send_counts, &node.receive_counts})
        for (std::uint64_t& count : *counts) count = times(count, factor, 1);
      node.elements = std::accumulate(node.send_counts.begin(), node.send_counts.end(), std::uint64_t{0});
    }
  return workload;
}

Payload payload_of(const Workload& workload) {
  Payload payload;
  for (const std::vector<WorkNode>& list : workload.nodes) {
    std::uint64_t sum = 0;
    for (const WorkNode& node : list) {
      if (!node.communicates()) continue;
      payload.largest = std::max(payload.largest, node.bytes());
      sum += node.bytes();
    }
    payload.most = std::max(payload.most, sum);
  }
  return payload;
}

double comfortable_factor(const Workload& workload) {
  constexpr double comfortable = 4 << 20;  // bytes
  double factor = 1;
  for (const auto largest = static_cast<double>(payload_of(workload).largest); largest * factor > comfortable;) factor /= 2;
  return factor;
}

}  // namespace railgauge

// How the list of one rank is written, node after node.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge::models {

// The streams of built-in workloads: computations, and one for each kind of group, as frameworks have them.
enum Stream : std::uint8_t { computing, tensor, context, expert, data, gathering, send_on, receive_on, send_back, receive_back };

using After = std::vector<std::uint32_t>;

// What a call is, wherever it stands.
struct Call {
  std::string name, reason;
  int stream = data;
  Collective collective = Collective::all_reduce;
  int group = 0;
  Type type = Type::float32;
  Op op = Op::none;
  std::uint64_t elements = 0;
};

class Step {
 public:
  // `flops_per_second`: that this rank sustains.
  Step(std::vector<WorkNode>& nodes, double flops_per_second) : nodes_(nodes), flops_per_second_(flops_per_second) {}

  std::uint32_t compute(std::string name, std::string reason, double flops, After after) {
    WorkNode node;
    node.work = WorkKind::compute;
    node.name = std::move(name);
    node.reason = std::move(reason);
    node.stream = computing;
    node.flops = flops;
    node.duration = Seconds(flops / flops_per_second_);
    return add(std::move(node), std::move(after));
  }
  std::uint32_t call(const Call& call, After after) { return add(node_of(WorkKind::collective, call), std::move(after)); }
  // `sends` and `receives`: elements to and from each rank of the group.
  std::uint32_t exchange(const Call& call, std::vector<std::uint64_t> sends, std::vector<std::uint64_t> receives, After after) {
    WorkNode node = node_of(WorkKind::collective, call);
    node.elements = 0;
    for (const std::uint64_t count : sends) node.elements += count;
    node.send_counts = std::move(sends);
    node.receive_counts = std::move(receives);
    return add(std::move(node), std::move(after));
  }
  std::uint32_t message(WorkKind work, const Call& call, int peer, int tag, After after) {
    WorkNode node = node_of(work, call);
    node.peer = peer;
    node.tag = tag;
    return add(std::move(node), std::move(after));
  }
  std::uint32_t marker(std::string name, After after) {
    WorkNode node;
    node.name = std::move(name);
    node.stream = computing;
    return add(std::move(node), std::move(after));
  }

 private:
  static WorkNode node_of(WorkKind work, const Call& call) {
    WorkNode node;
    node.work = work;
    node.name = call.name;
    node.reason = call.reason;
    node.stream = call.stream;
    node.collective = call.collective;
    node.group = call.group;
    node.type = call.type;
    node.op = call.op;
    node.elements = call.elements;
    return node;
  }
  std::uint32_t add(WorkNode node, After after) {
    node.after = std::move(after);
    nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  std::vector<WorkNode>& nodes_;
  double flops_per_second_;
};

}  // namespace railgauge::models

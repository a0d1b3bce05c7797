#include "bench/session/plan_factory.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "bench/plan/device_plan.hpp"
#include "bench/plan/graph_plan.hpp"
#include "bench/schedule/algorithms/native.hpp"

namespace railgauge {
namespace {

// What each further plan that does nothing takes behind another one in the stream. The difference of a long and a short row of
// them, each the shortest of several, leaves out what it takes to see that the device is done.
Seconds launch_of(Compute& compute) {
  constexpr std::size_t samples = 4, few = 5, many = 25;
  StepProgram nothing;
  nothing.lanes.emplace_back();
  const std::unique_ptr<StepRunner> runner = compute.prepare_steps(nothing);
  const auto shortest = [&](std::size_t launches) {
    Seconds least{std::numeric_limits<double>::infinity()};
    for (std::size_t sample = 0; sample < samples; ++sample) {
      fence(compute);
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < launches; ++i) runner->enqueue();
      fence(compute);
      least = std::min(least, Seconds(std::chrono::steady_clock::now() - begin));
    }
    runner->check();
    return least;
  };
  const Seconds row = shortest(few);
  return std::max(Seconds(0), (shortest(many) - row) / static_cast<double>(many - few));
}

}  // namespace

PlanFactory::PlanFactory(Connection& connection, const SessionOptions& options)
    : connection_(connection),
      options_(options),
      sequence_(connection.lanes(), static_cast<std::size_t>(connection.group().size())) {
  sequence_.share_cores(connection.oversubscribed());
}

PointPlans PlanFactory::make(RankParts& parts, const CollectiveSpec& spec, std::size_t sets) {
  const SetLayout& layout = connection_.layout();
  const std::size_t stride = layout.stride(parts.mine().set_bytes(spec.type), spec.type);
  Endpoint& endpoint = connection_.endpoint();
  RankMemory& memory = connection_.memory();
  const bool stream_ordered = connection_.stream_ordered();
  PointPlans made;
  made.compute = connection_.device().compute(spec.type, spec.op);
  if (connection_.in_stream() && !connection_.mapped())
    made.queues = make_lane_queues(connection_.device(), spec.lanes, spec.type, spec.op);
  for (std::size_t set = 0; set < sets; ++set) {
    const std::size_t offset = set * stride + layout.shift(spec.type);
    std::unique_ptr<Runnable> plan;
    if (is_native(*spec.algorithm)) {
      auto native = make_native_plan(parts, endpoint, *connection_.chosen().library(), *made.compute, memory.buffers(offset),
                                     stream_ordered);
      made.native = native.get();
      plan = std::move(native);
    } else if (connection_.mapped()) {
      plan = make_mapped_plan(parts, endpoint, *made.compute, sequence_, 0, set);
      if (const auto* const its = dynamic_cast<const DevicePlan*>(plan.get()))
        made.kernel = {its->protocol(), static_cast<int>(its->multiprocessors()), launch(*made.compute)};
    } else {
      plan = make_plan(parts, endpoint, *made.compute, memory.buffers(offset),
                       memory.data_path(offset, stream_ordered, made.queues.get()));
    }
    if (options_.graph) plan = make_graph_plan(std::move(plan), *made.compute);
    made.plans.push_back(std::move(plan));
  }
  return made;
}

Seconds PlanFactory::launch(Compute& compute) {
  if (!launch_) launch_ = launch_of(compute);
  return *launch_;
}

Runnable& PlanFactory::barrier() {
  if (barrier_) return *barrier_;
  Group& group = connection_.group();
  CollectiveSpec spec;
  for (const Algorithm& algorithm : catalog())
    if (algorithm.collective == Collective::barrier && spec.algorithm == nullptr) spec.algorithm = &algorithm;
  spec.type = Type::uint8;
  spec.shape = {group.size(), group.rank(), 0, 1};
  RankParts parts(spec);
  barrier_compute_ = connection_.messenger().compute(Type::uint8, Op::sum);
  barrier_ = connection_.mapped() ? make_mapped_plan(parts, connection_.endpoint(), *barrier_compute_, sequence_, 0, 0)
                                  : make_plan(parts, connection_.endpoint(), *barrier_compute_, connection_.memory().buffers(0),
                                              connection_.empty_messages());
  return *barrier_;
}

std::string_view PlanFactory::path_of(const Algorithm& algorithm) const {
  if (is_native(algorithm)) return options_.graph ? "native_graph" : "native";
  if (connection_.memory().staged()) return "staged";
  if (connection_.mapped()) return options_.graph ? "mapped_graph" : "mapped";
  return options_.graph ? "graph" : "exchange";
}

}  // namespace railgauge

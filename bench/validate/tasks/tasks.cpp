// Tasks of workers.
#include "bench/validate/tasks/tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/group/expected.hpp"
#include "bench/group/nodes.hpp"
#include "bench/ranks/ranks.hpp"
#include "bench/select/sweep.hpp"
#include "bench/validate/method/expect.hpp"
#include "bench/validate/orders/orders.hpp"
#include "bench/validate/preflight/read.hpp"
#include "bench/validate/tasks/alone.hpp"
#include "bench/validate/tasks/step.hpp"
#include "topo/evidence/sent_packets.hpp"

namespace railgauge::validate {
namespace {

using nlohmann::json;

// Means of so many stretches of the measured time, in order: whether it was as fast all the time.
constexpr std::size_t most_stretches = 8;

std::vector<Seconds> stretches_of(const std::vector<Seconds>& samples) {
  const std::size_t count = std::min(most_stretches, samples.size());
  std::vector<Seconds> means;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(i * samples.size() / count);
    const auto end = samples.begin() + static_cast<std::ptrdiff_t>((i + 1) * samples.size() / count);
    means.push_back(std::accumulate(begin, end, Seconds(0)) / static_cast<double>(end - begin));
  }
  return means;
}

// `ended`: when it was done, since the order began.
MeasuredPoint measured_point(const Result& result, bool back, Seconds ended) {
  const Summary& its = result.summary;
  MeasuredPoint point;
  point.what = result.point.collective;
  point.back = back;
  point.bytes = result.point.bytes;
  point.status = result.status;
  point.reason = result.reason;
  point.median = its.median;
  point.least = its.min;
  point.p95 = its.p95;
  point.p99 = its.p99;
  point.most = its.max;
  point.begun = std::max(Seconds(0), ended - std::accumulate(result.samples.begin(), result.samples.end(), Seconds(0)));
  point.busbw = its.busbw;
  point.samples = its.samples;
  point.stretches = stretches_of(result.samples);
  if (result.expected) {
    point.ceiling = result.expected->busbw;
    point.basis = result.expected->basis;
  }
  return point;
}

// Reads counters where one point ends and the next begins.
class PacketWatch {
 public:
  explicit PacketWatch(std::size_t points) : by_point_(points) {}

  void begin(std::size_t point) {
    read();
    point_ = point;
  }
  std::vector<std::vector<PacketCount>> end() {
    read();
    return std::move(by_point_);
  }

 private:
  void read() {
    std::vector<topo::SentPackets> now = topo::read_sent_packets();
    for (const topo::SentPackets& each : point_ ? topo::sent_between(before_, now) : std::vector<topo::SentPackets>())
      if (each.sent > 0) by_point_.at(*point_).push_back({each.by, each.sent, each.resent - std::min(each.resent, each.spare)});
    before_ = std::move(now);
    point_.reset();
  }

  std::vector<std::vector<PacketCount>> by_point_;
  std::optional<std::size_t> point_;  // that is measured
  std::vector<topo::SentPackets> before_;
};

template <class Task>
Task task_of(const agents::TaskContext& context) {
  return context.order().words.get<Task>();
}

// Libraries are loaded with the first order, and stay.
class Tasks {
 public:
  explicit Tasks(const TaskOptions& options) : options_(options) {}

  json facts(agents::TaskContext& context) {
    topo::preflight::ReadOptions reading;
    reading.host = context.order().nodes.at(static_cast<std::size_t>(context.place()));
    reading.environment = options_.environment;
    if (task_of<FactsTask>(context).counters_only) reading.extent = topo::preflight::Extent::counters;
    return Facts{topo::preflight::to_json(topo::preflight::read_facts(reading))};
  }

  json node(agents::TaskContext& context) {
    const auto task = task_of<NodeTask>(context);
    return measure_alone(options_.session.device, task.rank_of_host, task.seconds);
  }

  json copies(agents::TaskContext& context) {
    return measure_copies(context.group(), options_.plugin_folders, task_of<CopiesTask>(context).seconds);
  }

  json loopback(agents::TaskContext& context) {
    auto task = task_of<LoopbackTask>(context);
    know_transports();
    const SessionOptions session = session_for(context, task.seconds, task.watchdog);
    LoopbackOrder order;
    order.asked = std::move(task.ports);
    order.bytes = std::move(task.bytes);
    if (const auto verbs = options_.settings.find("verbs"); verbs != options_.settings.end()) order.settings = verbs->second;
    return measure_loopback(known_, order, session);
  }

  json thresholds(agents::TaskContext& context) {
    const Expected expected = expect_of_hosts(context.group(), {});
    if (expected.team)
      for (const auto& [what, least] : task_of<ThresholdsTask>(context).least)
        if (const std::optional<Collective> collective = find_collective(what))
          check_threshold(*collective, *expected.team, least);
    return json::object();
  }

  json step(agents::TaskContext& context) {
    const auto task = task_of<StepTask>(context);
    know_transports();
    return measure_step(context.group(), choose_transport(known_, options_.transport, options_.settings), options_.session.device,
                        task, task.watchdog.value_or(options_.session.watchdog), context.order().oversubscribed);
  }

  json measure(agents::TaskContext& context) {
    const auto begin = std::chrono::steady_clock::now();
    const auto task = task_of<MeasureTask>(context);
    know_transports();
    const std::string name = task.transport.empty() ? options_.transport : task.transport;
    const ChosenTransport transport = choose_transport(known_, name, options_.settings);
    SessionOptions session = session_for(context, task.seconds, task.watchdog);
    // A ring of buffers that no cache holds would be gone through once at least: on a slow link that takes longer than is
    // measured.
    session.cache = Cache::warm;
    ControlTree& group = context.group();
    std::vector<Point> points;
    for (const MeasureTask::PointSpec& asked : task.points) {
      SweepOptions sweep;
      sweep.collectives = {asked.what};
      sweep.bytes = {asked.bytes};
      sweep.root = 0;
      sweep.seed = asked.seed.value_or(sweep.seed);
      sweep.types = {"float32"};
      const Situation situation{name, count_nodes(group), {}, session.device.memory_name, {}};
      sweep.window = asked.window.value_or(sweep.window);
      for (Point& point :
           make_points(sweep, group.size(), ranks_per_node_in_turn(group), choice_of(chooser_, situation), nullptr)) {
        if (asked.back) point.spec.shape.directions = Directions::downward;
        points.push_back(std::move(point));
      }
    }
    const Expected expected = task.expect ? expect_of_hosts(group, {}) : Expected{};
    Measured measured;
    PacketWatch watch(points.size());
    if (task.packets) session.begins = [&](std::size_t point) { watch.begin(point); };
    (void)run_session(group, transport, points, session, [&](const Result& result) {
      const bool back = points.at(measured.results.size()).spec.shape.directions == Directions::downward;
      const Seconds ended = std::chrono::steady_clock::now() - begin;
      measured.results.push_back(measured_point(with_expectation(result, expected.team), back, ended));
    });
    if (task.packets) measured.packets = watch.end();
    return measured;
  }

 private:
  void know_transports() {
    if (known_.empty()) known_ = known_transports(options_.plugin_folders);
  }
  [[nodiscard]] SessionOptions session_for(const agents::TaskContext& context, Seconds seconds,
                                           std::optional<Seconds> watchdog) const {
    SessionOptions session = options_.session;
    session.policy.max_time = seconds;
    session.watchdog = watchdog.value_or(session.watchdog);
    session.oversubscribed = context.order().oversubscribed;
    return session;
  }

  const TaskOptions& options_;
  std::vector<KnownTransport> known_;
  Chooser chooser_;
};

struct TaskRow {
  std::string_view name;
  json (Tasks::*run)(agents::TaskContext&);
};
constexpr TaskRow rows[] = {{MeasureTask::name, &Tasks::measure}, {FactsTask::name, &Tasks::facts},
                            {NodeTask::name, &Tasks::node},       {ThresholdsTask::name, &Tasks::thresholds},
                            {CopiesTask::name, &Tasks::copies},   {LoopbackTask::name, &Tasks::loopback},
                            {StepTask::name, &Tasks::step}};

}  // namespace

agents::Work make_work(const TaskOptions& options) {
  const auto tasks = std::make_shared<Tasks>(options);
  return [tasks](agents::TaskContext& context) -> json {
    for (const TaskRow& row : rows)
      if (row.name == context.order().task) return ((*tasks).*row.run)(context);
    throw Error(Fault::usage, fmt::format("there is no task '{}'", context.order().task));
  };
}

}  // namespace railgauge::validate

// Connects a transport, then makes plans for each point's buffer sets and hands them to the measuring loop.
#include "bench/session/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "bench/device/host/caches.hpp"
#include "bench/device/queued.hpp"
#include "bench/group/gather_json.hpp"
#include "bench/group/host.hpp"
#include "bench/group/nodes.hpp"
#include "bench/measure/check.hpp"
#include "bench/measure/completion.hpp"
#include "bench/plan/graph_plan.hpp"
#include "bench/plan/native.hpp"
#include "bench/schedule/algorithms/native.hpp"
#include "bench/schedule/traffic.hpp"
#include "bench/session/clocks.hpp"
#include "bench/session/explained.hpp"
#include "bench/session/pairs.hpp"
#include "bench/session/places.hpp"
#include "bench/session/rank_memory.hpp"
#include "bench/session/summary.hpp"
#include "bench/watch/watches.hpp"
#include "reports/bandwidth.hpp"
#include "transports/gather.hpp"
#include "transports/oversubscribed.hpp"

namespace railgauge {
namespace {

constexpr Seconds nap{50e-6};                               // of ranks that wait while others need their core
constexpr std::size_t set_budget = std::size_t{256} << 20;  // of one rank, unless one set is larger
constexpr std::size_t kept_warm = std::size_t{256} << 10;   // of sets that stay in the caches of a core

Case case_of(const Point& point, const std::string& transport, const SessionOptions& options) {
  const CollectiveSpec& spec = point.spec;
  Case result;
  result.collective = name(spec.algorithm->collective);
  result.algorithm = spec.algorithm->name;
  result.transport = transport;
  result.device = options.device.memory_name;
  result.type = name(spec.type);
  result.op = name(spec.op);
  result.mode = options.fixed ? "fixed" : name(options.mode);
  if (options.graph)
    result.path = is_native(*spec.algorithm) ? "native_graph" : "graph";
  else
    result.path = is_native(*spec.algorithm) ? "native" : options.path == Path::mapped ? "mapped" : "exchange";
  result.ranks = spec.shape.ranks;
  result.root = row(spec.algorithm->collective).rooted ? spec.shape.root : -1;
  result.lanes = static_cast<int>(spec.lanes);
  result.in_place = spec.in_place;
  const Collective collective = spec.algorithm->collective;
  if (collective == Collective::stream || collective == Collective::bidirectional) result.window = spec.shape.window;
  if (collective == Collective::permutation) result.seed = spec.shape.seed;
  result.count = point.refusal.empty() ? spec.elements : point.bytes / bytes_of(spec.type);
  result.bytes = result.count * bytes_of(spec.type);
  return result;
}

// Of input or output, whichever is larger, of the rank that has most.
std::uint64_t busiest_bytes(const Point& point) {
  const Collective collective = point.spec.algorithm->collective;
  if (collective == Collective::pairs) return point.bytes;  // a round at a time
  return point.bytes * busiest_end(collective, point.spec.shape);
}

// One rank's connection, memory and barrier, for all points.
class Session {
 public:
  Session(Group& group, const ChosenTransport& transport, const std::vector<Point>& points, const SessionOptions& options)
      : group_(group),
        chosen_(transport),
        options_(options),
        device_(open_device(options.device, rank_of_node(group))),
        host_device_(make_host_device()),
        transport_(transport.open()),
        host_(describe_host()),
        nodes_(count_nodes(group)),
        oversubscribed_(any_host_is_oversubscribed(group) || options.oversubscribed) {
    std::size_t lanes = 1;
    for (const Point& point : points) lanes = std::max(lanes, point.spec.lanes);
    const std::vector<std::size_t> caches =
        gather(group_, host::last_level_share() * static_cast<std::size_t>(std::max(1, options.cores)));
    last_level_cache_ = *std::max_element(caches.begin(), caches.end());
    const std::size_t bytes = memory_needed(points);
    expect_room(group_, RankMemory::host_bytes(options.device.memory, transport_->abilities(), bytes));
    const bool own_streams = direct() != RankMemory::Direct::never;  // what is staged is copied in the device's one stream
    Place place = make_place(group_, *transport_, *device_, lanes, own_streams);
    place.oversubscribed = oversubscribed_;
    endpoint_ = transport_->connect(group_, place);
    memory_ =
        std::make_unique<RankMemory>(group_, *endpoint_, RankMemory::Devices{*device_, options.device.memory, *host_device_},
                                     transport_->abilities(), bytes, direct());
    endpoint_->attach(memory_->attached());
    const Mapping* const mapping = endpoint_->mapping();
    const bool on_device = mapping != nullptr && mapping->on_device;
    const bool reached = options_.device.memory == (on_device ? MemoryKind::cuda : MemoryKind::host);
    mapped_ = (options_.path == Path::automatic || options_.path == Path::mapped) && options_.unaligned == 0 &&
              mapping != nullptr && reached;
    if (options_.graph && !in_stream())
      throw Error(Fault::usage, "--graph is of plans that work in a device's stream alone, as over nccl and cuda_ipc: " +
                                    chosen_.name + (memory_->staged() ? " passes through memory of the host here" : " does not"));
    if (!mapped_ && mapping != nullptr && mapping->blocks != 0)
      throw Error(Fault::usage, "cuda_ipc.blocks is of the kernel that runs mapped plans, and this run has none: leave it out");
    if (options_.path == Path::staged && options_.device.memory == MemoryKind::host)
      throw Error(Fault::usage, "--path staged is of memory of a device: say --memory cuda, pinned or managed");
    if (options_.path == Path::mapped && !reached)
      throw Error(Fault::usage, "--path mapped needs buffers of the host, or --transport cuda_ipc: leave out --memory or --path");
    if (options_.path == Path::mapped && !mapped_)
      throw Error(Fault::usage, "--path mapped: the " + chosen_.name + " transport maps nobody's memory here");
    watches_ = std::make_unique<Watches>(group, *endpoint_, transport.parts.size() > 1, device_->key(), !options.fixed);
    sequence_ = std::make_unique<MappedSequence>(lanes, static_cast<std::size_t>(group_.size()));
    sequence_->share_cores(oversubscribed_);
    make_barrier();
    auto* const clocked = in_stream() ? dynamic_cast<Clocked*>(device_.get()) : nullptr;
    if (clocked != nullptr) queue_clock_ = clocked->make_clock();
    if (group.size() > 1 && !options.fixed) {
      clocks_ = std::make_unique<Clocks>(group, *endpoint_, messenger(), news(), steady_clock(), oversubscribed_);
      explained(group_, *endpoint_, [&] { clocks_->read(); });
    }
  }

  // What was measured of a point, and on how many buffer sets.
  struct Measured {
    Measurement measurement;
    std::optional<FixedMeasurement> fixed;  // in its place
    BufferSets sets;
    Watched watched;
    std::optional<LibraryChoice> library;
  };

  Result measure_point(const Point& point, const Policy& policy) {
    if (const std::string reason = refusal_here(point); !reason.empty()) return unmeasured(point, Status::skipped, reason);
    Measured measured = run_point(point, policy, false);
    Result result = measured.fixed ? to_result(point, std::move(*measured.fixed), measured.sets)
                                   : to_result(point, measured.measurement, measured.sets);
    std::move(measured.watched).give(result);
    result.library = std::move(measured.library);
    return result;
  }

  // One result for each ordered pair, as soon as its round is over. The policy is that of a round.
  void measure_pairs(const Point& point, const Policy& policy, const ResultSink& tell) {
    for (const PairStep& step : pair_steps(*point.spec.algorithm, point.spec.shape.ranks)) {
      Point round = point;
      round.spec.shape.round = step.round;
      round.spec.shape.ways = step.ways;
      const Measured measured = run_point(round, policy, true);
      for (PairSamples& pair : pair_samples(step, measured.measurement.by_rank, measured.measurement.host_by_rank)) {
        const Measurement its = measurement_of(pair, measured.measurement, policy);
        Result result = to_result(round, its, measured.sets);
        Watched(measured.watched).give(result);
        result.point.from = pair.from;
        result.point.to = pair.to;
        result.point.from_node = group_.nodes()[static_cast<std::size_t>(pair.from)];
        result.point.to_node = group_.nodes()[static_cast<std::size_t>(pair.to)];
        tell(result);
      }
    }
  }

  Measured run_point(const Point& point, const Policy& policy, bool keep_ranks) {
    CollectiveSpec spec = point.spec;
    spec.shape.rank = group_.rank();
    Parts parts(spec);
    const BufferSets chosen = sets_of(point);
    const std::size_t shift = options_.unaligned * bytes_of(spec.type);
    const std::size_t set_bytes = set_stride(parts.mine().set_bytes(spec.type), spec.type);
    const auto offset_of = [&](std::size_t set) { return set * set_bytes + shift; };
    const bool stream_ordered = transport_->abilities().stream_ordered;
    const std::unique_ptr<Compute> compute = device_->compute(spec.type, spec.op);
    std::unique_ptr<LaneQueues> queues;
    if (in_stream() && !mapped_) queues = make_lane_queues(*device_, spec.lanes, spec.type, spec.op);
    std::vector<std::unique_ptr<Runnable>> plans;
    CollectiveRunnable* native = nullptr;
    std::vector<Runnable*> sets;
    for (std::size_t set = 0; set < chosen.count; ++set) {
      std::byte* const memory = memory_->buffers(offset_of(set));
      if (is_native(*spec.algorithm)) {
        auto plan = make_native_plan(parts, *endpoint_, *chosen_.library(), *compute, memory, stream_ordered);
        native = plan.get();
        plans.push_back(std::move(plan));
      } else if (mapped_)
        plans.push_back(make_mapped_plan(parts, *endpoint_, *compute, *sequence_, 0, set));
      else
        plans.push_back(
            make_plan(parts, *endpoint_, *compute, memory, memory_->data_path(offset_of(set), stream_ordered, queues.get())));
      if (options_.graph) plans.back() = make_graph_plan(std::move(plans.back()), *compute);
      sets.push_back(plans.back().get());
    }

    const Check check(spec.algorithm->collective, spec.type, spec.op, spec.shape, parts.mine().layout);
    std::uint64_t epoch = 0;
    MeasuredOperation subject;
    subject.name = std::string(name(spec.algorithm->collective)) + " by " + std::string(spec.algorithm->name) + ", " +
                   format_bytes(point.bytes) + ", over " + chosen_.name;
    subject.sets = sets;
    subject.barrier = barrier_.get();
    subject.mode = options_.mode;
    subject.keep_ranks = keep_ranks;
    subject.check_every = options_.check_every;
    subject.repeatable = repeatable(spec.in_place);
    subject.yield = oversubscribed_;
    subject.watchdog = options_.watchdog;
    if (options_.oversubscribed) subject.nap = nap;
    subject.clock = queue_clock_.get();
    subject.restore = [&] {
      ++epoch;
      for (std::size_t set = 0; set < chosen.count; ++set)
        memory_->write(offset_of(set), set_bytes - shift, [&](Bytes bytes) { check.restore(bytes, seed_of(seed_, set, epoch)); });
    };
    subject.check = [&]() -> std::optional<Mistake> {
      std::optional<Mistake> first;
      for (std::size_t set = 0; set < chosen.count; ++set) {
        std::optional<Mistake> mistake =
            check.check(memory_->read(offset_of(set), set_bytes - shift), seed_of(seed_, set, epoch));
        if (!mistake) continue;
        if (first)
          first->wrong += mistake->wrong;
        else
          first = std::move(mistake);
      }
      return first;
    };
    ++seed_;
    const std::uint64_t sent = sent_by_ports(parts.mine()) * bytes_of(spec.type);
    const double moved = moved_by(spec);
    const auto watched = [&](std::uint64_t operations) {
      if (spec.algorithm->collective == Collective::pairs) return watches_->end_round();
      return watches_->end(operations * sent, static_cast<double>(operations) * moved);
    };
    if (clocks_) subject.line = &clocks_->lines()[static_cast<std::size_t>(group_.rank())];
    Measured measured;
    measured.sets = chosen;
    watches_->begin();
    explained(group_, *endpoint_, [&] {
      if (options_.fixed) {
        measured.fixed = measure_fixed(subject, group_, *options_.fixed);
        measured.watched = watched(measured.fixed->operations);
      } else {
        measured.measurement = measure(subject, group_, policy);
        measured.watched = watched(measured.measurement.operations);
        if (clocks_) clocks_->read();  // now what came before lies between two readings
      }
      if (native != nullptr) measured.library = choice_of(*native, subject);
    });
    return measured;
  }

  Result unmeasured(const Point& point, Status status, const std::string& reason) const {
    Result result;
    result.run = options_.run;
    result.point = case_of(point, chosen_.name, options_);
    result.point.nodes = nodes_;
    if (!is_native(*point.spec.algorithm)) {
      if (mapped_) result.point.path = options_.graph ? "mapped_graph" : "mapped";
      if (memory_ && memory_->staged()) result.point.path = "staged";
    }
    result.status = status;
    result.reason = reason;
    result.host = host_;
    result.versions = versions(chosen_);
    result.settings = settings_of(chosen_);
    if (options_.device.table != nullptr) result.versions.emplace_back(device_of_rank_0, device_->name());
    if (memory_ && memory_->staged()) result.versions.emplace_back("staged because", memory_->reason());
    return result;
  }

 private:
  // Collective where the point is the library's: the first rank's reason, the same on all.
  std::string refusal_here(const Point& point) {
    if (!is_native(*point.spec.algorithm) || chosen_.library()->refusal_here == nullptr) return {};
    const std::string mine = chosen_.library()->refusal_here(*endpoint_, native_call(point.spec));
    for (const nlohmann::json& reason : gather_json(group_, mine))
      if (!reason.get<std::string>().empty()) return reason.get<std::string>();
    return {};
  }

  // One more operation, which all ranks take part in, and what the library says of it.
  LibraryChoice choice_of(CollectiveRunnable& native, const MeasuredOperation& subject) {
    native.ask();
    Completion(subject, group_, steady_clock()).finish(native, false, 0);
    const CollectiveChoice choice = native.choice();
    return {choice.algorithm, choice.protocol, choice.channels, Seconds(choice.predicted)};
  }

  // Whether plans work in the device's stream alone.
  [[nodiscard]] bool in_stream() const { return transport_->abilities().stream_ordered && !memory_->staged(); }

  [[nodiscard]] RankMemory::Direct direct() const {
    using Direct = RankMemory::Direct;
    if (options_.path == Path::staged) return Direct::never;
    return options_.path == Path::exchange ? Direct::always : Direct::where_it_can;
  }

  // A set that starts off its alignment takes a part of the next pages.
  [[nodiscard]] std::size_t set_stride(std::size_t set_bytes, Type type) const {
    const std::size_t shift = options_.unaligned * bytes_of(type);
    return set_bytes + (shift + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
  }

  // Elements of the messages of this rank.
  [[nodiscard]] std::uint64_t sent_by_ports(const Part& mine) const {
    std::uint64_t elements = 0;
    for (const ResolvedSchedule& lane : mine.lanes)
      for (const ResolvedRound& round : lane)
        for (const ResolvedMessage& message : round.messages)
          if (message.kind == Transfer::Kind::send && watches_->counts(message.peer)) elements += message.range.size();
    return elements;
  }

  // Bytes of an operation that busbw counts.
  [[nodiscard]] double moved_by(const CollectiveSpec& spec) const {
    const Collective collective = spec.algorithm->collective;
    const auto bytes = static_cast<double>(spec.elements * bytes_of(spec.type));
    return bytes * bandwidth_factors(collective, group_.size()).busbw / time_share(collective, spec.shape);
  }

  [[nodiscard]] BufferSets sets_of(const Point& point) const {
    if (options_.fixed) return rotating_sets(point.bytes, *options_.fixed, last_level_cache_);
    BufferSets sets = choose_sets(busiest_bytes(point), options_.cache, last_level_cache_, set_budget);
    // Of a batch on one set only the last iteration leaves data to check: what is short enough for batches has sets for them.
    if (options_.mode != Mode::back_to_back && options_.check_every && !sets.cold)
      sets.count = std::max<std::size_t>(
          sets.count, std::min<std::uint64_t>(kept_warm / buffers_of_a_set / std::max<std::uint64_t>(busiest_bytes(point), 1),
                                              sets_when_automatic));
    return sets;
  }

  std::size_t memory_needed(const std::vector<Point>& points) const {
    std::size_t most = buffer_alignment;
    for (const Point& point : points) {
      if (!point.refusal.empty()) continue;
      CollectiveSpec spec = point.spec;
      spec.shape.rank = group_.rank();
      // A round of pairs in which this rank has a partner: it sits out of round `rank` if of any.
      if (spec.algorithm->collective == Collective::pairs) spec.shape.round = group_.rank() == 0 ? 1 : 0;
      const BufferSets sets = sets_of(point);
      most = std::max(most, sets.count * set_stride(Parts(spec).mine().set_bytes(spec.type), spec.type));
    }
    return most;
  }

  // Whose stream, if any, messages without bytes are in, and how they pass: in that of the device where the transport has one.
  [[nodiscard]] Device& messenger() { return transport_->abilities().stream_ordered ? *device_ : *host_device_; }
  [[nodiscard]] DataPath news() const { return {.stream_ordered = transport_->abilities().stream_ordered}; }

  void make_barrier() {
    CollectiveSpec spec;
    for (const Algorithm& algorithm : catalog())
      if (algorithm.collective == Collective::barrier && spec.algorithm == nullptr) spec.algorithm = &algorithm;
    spec.type = Type::uint8;
    spec.shape = {group_.size(), group_.rank(), 0, 1};
    Parts parts(spec);
    barrier_compute_ = messenger().compute(Type::uint8, Op::sum);
    barrier_ = mapped_ ? make_mapped_plan(parts, *endpoint_, *barrier_compute_, *sequence_, 0, 0)
                       : make_plan(parts, *endpoint_, *barrier_compute_, memory_->buffers(0), news());
  }

  Result to_result(const Point& point, FixedMeasurement measurement, const BufferSets& sets) const {
    const FixedRun& run = *options_.fixed;
    Result result = unmeasured(point, measurement.mistake ? Status::wrong : Status::ok,
                               measurement.mistake ? sentence(*measurement.mistake) : std::string());
    result.samples = {measurement.time};
    result.by_rank = std::move(measurement.by_rank);
    Summary& summary = result.summary;
    summary.samples = 1;
    summary.batch = run.iterations * run.aggregated;
    summary.buffers = sets.count;
    summary.cache = sets.cold ? "cold" : "warm";
    summary.effective_samples = 1;
    summary.checked = 0;
    summary.warm_up = (run.warm_up + 1) * run.aggregated;
    for (Seconds* each :
         {&summary.min, &summary.median, &summary.ci_low, &summary.ci_high, &summary.p95, &summary.p99, &summary.max})
      *each = measurement.time;
    const Bandwidth bandwidths = bandwidth(point.spec.algorithm->collective, group_.size(), result.point.bytes, measurement.time);
    summary.algbw = bandwidths.algbw;
    summary.busbw = bandwidths.busbw;
    summary.wrong = measurement.wrong;
    return result;
  }

  Result to_result(const Point& point, const Measurement& measurement, const BufferSets& sets) const {
    Result result = unmeasured(point, Status::ok, measurement.reason);
    result.status = status_of(measurement);
    const Collective collective = point.spec.algorithm->collective;
    const double share = time_share(collective, point.spec.shape);
    for (const Seconds sample : measurement.samples) result.samples.push_back(sample * share);
    for (const Seconds sample : measurement.host_samples) result.host_samples.push_back(sample * share);
    Summary& summary = result.summary;
    summary = summary_of(measurement, share);
    summary.buffers = sets.count;
    summary.cache = sets.cold ? "cold" : "warm";
    const Bandwidth bandwidths = bandwidth(collective, group_.size(), result.point.bytes, summary.median);
    summary.algbw = bandwidths.algbw;
    summary.busbw = bandwidths.busbw;
    if (clocks_) result.arrival = arrival_of(point.spec, measurement, clocks_->lines());
    return result;
  }

  Group& group_;
  const ChosenTransport& chosen_;
  const SessionOptions& options_;
  std::unique_ptr<Device> device_, host_device_;
  std::unique_ptr<Transport> transport_;
  Host host_;
  int nodes_;
  bool oversubscribed_;  // on all ranks alike
  std::size_t last_level_cache_ = 0;
  bool mapped_ = false;
  std::uint64_t seed_ = 1;
  // In the order in which they must go: plans before the endpoint, the endpoint before its memory.
  std::unique_ptr<RankMemory> memory_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<MappedSequence> sequence_;
  std::unique_ptr<Compute> barrier_compute_;
  std::unique_ptr<Runnable> barrier_;
  std::unique_ptr<QueueClock> queue_clock_;  // null where plans are not in the device's stream
  std::unique_ptr<Watches> watches_;
  std::unique_ptr<Clocks> clocks_;  // null where a rank is alone
};

int code_of(const Result& result) { return result.status == Status::wrong ? static_cast<int>(Fault::wrong_data) : 0; }

}  // namespace

bool fit_budget(Group& group, const std::optional<Seconds>& budget, Seconds elapsed, Policy& policy) {
  if (!budget) return true;
  const Seconds left = *budget - gather(group, elapsed).front();
  policy.max_time = std::min(policy.max_time, left);
  policy.min_time = std::min(policy.min_time, left);
  return left > Seconds(0);
}

Result skipped_result(const Point& point, const std::string& transport, const SessionOptions& options,
                      const std::string& reason) {
  Result result;
  result.run = options.run;
  result.point = case_of(point, transport, options);
  result.status = Status::skipped;
  result.reason = reason;
  result.host = describe_host();
  return result;
}

int run_session(Group& group, const ChosenTransport& transport, const std::vector<Point>& points, const SessionOptions& options,
                const ResultSink& add) {
  Session session(group, transport, points, options);
  const Clock clock = steady_clock();
  const Seconds begin = clock.now();
  int code = 0;
  for (const Point& point : points) {
    const auto tell = [&](const Result& result) {
      code = more_severe(code, code_of(result));
      if (group.rank() == 0) add(result);
    };
    if (!point.refusal.empty()) {
      tell(session.unmeasured(point, Status::skipped, point.refusal));
      continue;
    }
    Policy policy = options.policy;
    if (!fit_budget(group, options.budget, clock.now() - begin, policy)) {
      tell(session.unmeasured(point, Status::skipped, budget_is_over));
      continue;
    }
    if (point.spec.algorithm->collective == Collective::pairs)
      session.measure_pairs(point, policy, tell);
    else
      tell(session.measure_point(point, policy));
  }
  group.barrier();
  return code;
}

}  // namespace railgauge

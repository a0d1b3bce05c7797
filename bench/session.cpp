// Connects a transport, then makes plans for each point's buffer sets and hands them to the measuring loop.
#include "bench/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "bench/clocks.hpp"
#include "bench/device/host/available.hpp"
#include "bench/device/host/caches.hpp"
#include "bench/host.hpp"
#include "bench/measure/check.hpp"
#include "bench/nodes.hpp"
#include "bench/pairs.hpp"
#include "bench/places.hpp"
#include "bench/rank_memory.hpp"
#include "bench/schedule/traffic.hpp"
#include "bench/summary.hpp"
#include "bench/wire_watch.hpp"
#include "reports/bandwidth.hpp"
#include "transports/crowded.hpp"

namespace railgauge {
namespace {

constexpr std::size_t set_budget = std::size_t{256} << 20;  // of one rank, unless one set is larger
constexpr std::size_t kept_warm = std::size_t{256} << 10;   // of sets that stay in the caches of a core

template <class Value>
Blob blob_of(const Value& value) {
  Blob blob(sizeof value);
  std::memcpy(blob.data(), &value, sizeof value);
  return blob;
}

template <class Value>
Value value_of(const Blob& blob) {
  Value value{};
  if (blob.size() != sizeof value) throw Error(Fault::usage, "the ranks are of different versions of railgauge");
  std::memcpy(&value, blob.data(), sizeof value);
  return value;
}

template <class Value>
std::vector<Value> gather(Group& group, const Value& mine) {
  std::vector<Value> values;
  for (const Blob& blob : group.allgather(blob_of(mine))) values.push_back(value_of<Value>(blob));
  return values;
}

// To a tenth: exact bytes of gigabytes tell nobody anything.
std::string gibibytes(std::size_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30)); }

// Whose memory the buffers are in, as results have it.
const char* memory_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::cuda:
      return "cuda";
    case MemoryKind::managed:
      return "managed";
    case MemoryKind::host:
      break;
  }
  return "host";
}

Case case_of(const Point& point, const std::string& transport, const SessionOptions& options) {
  const Recipe& recipe = point.recipe;
  Case result;
  result.collective = name(recipe.algorithm->collective);
  result.algorithm = recipe.algorithm->name;
  result.transport = transport;
  result.device = memory_name(options.device.memory);
  result.type = name(recipe.type);
  result.op = name(recipe.op);
  result.mode = options.fixed ? "fixed" : name(options.mode);
  result.path = options.path == Path::mapped ? "mapped" : "exchange";
  result.ranks = recipe.shape.ranks;
  result.root = row(recipe.algorithm->collective).rooted ? recipe.shape.root : -1;
  result.lanes = static_cast<int>(recipe.lanes);
  result.in_place = recipe.in_place;
  const Collective collective = recipe.algorithm->collective;
  if (collective == Collective::stream || collective == Collective::bidirectional) result.window = recipe.shape.window;
  if (collective == Collective::permutation) result.seed = recipe.shape.seed;
  result.count = point.refusal.empty() ? recipe.elements : point.bytes / bytes_of(recipe.type);
  result.bytes = result.count * bytes_of(recipe.type);
  return result;
}

// The part of a round's measurement that is one pair's.
Measurement measurement_of(const PairSamples& pair, const Measurement& round, const Policy& policy) {
  Measurement its;
  for (const double seconds : pair.seconds) its.samples.emplace_back(seconds);
  its.statistics = summarise(pair.seconds, policy.confidence);
  its.batch = round.batch;
  its.warm_up = round.warm_up;
  its.checked = round.checked;
  its.reason = round.reason;
  its.converged = round.converged || decide(policy, pair.seconds, round.batch, round.elapsed).decision == Decision::converged;
  if (round.mistake && round.mistake->rank == pair.to) {
    its.mistake = round.mistake;
    its.wrong = round.mistake->wrong;
  }
  if (round.mistake) its.converged = false;
  if (its.converged) its.reason.clear();
  return its;
}

// Of input or output, whichever is larger, of the rank that has most.
std::uint64_t busiest_bytes(const Point& point) {
  const Collective collective = point.recipe.algorithm->collective;
  if (collective == Collective::pairs) return point.bytes;  // a round at a time
  return point.bytes * busiest_end(collective, point.recipe.shape);
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
        crowded_(any_host_is_crowded(group)) {
    std::size_t lanes = 1;
    for (const Point& point : points) lanes = std::max(lanes, point.recipe.lanes);
    const std::vector<std::size_t> caches =
        gather(group_, host::last_level_share() * static_cast<std::size_t>(std::max(1, options.cores)));
    last_level_cache_ = *std::max_element(caches.begin(), caches.end());
    const std::size_t bytes = memory_needed(points);
    check_memory(RankMemory::host_bytes(options.device.memory, transport_->abilities(), bytes));
    endpoint_ = transport_->connect(group_, make_place(group_, *transport_, lanes));
    memory_ = std::make_unique<RankMemory>(*device_, *host_device_, transport_->abilities(), bytes);
    endpoint_->attach(memory_->attached());
    mapped_ = options_.path != Path::exchange && options_.unaligned == 0 && endpoint_->mapping() != nullptr &&
              options_.device.memory == MemoryKind::host;
    if (options_.path == Path::mapped && options_.device.memory != MemoryKind::host)
      throw Error(Fault::usage, "--path mapped needs buffers of the host: leave out --memory or --path");
    if (options_.path == Path::mapped && !mapped_)
      throw Error(Fault::usage, "--path mapped: the " + chosen_.name + " transport maps nobody's memory here");
    wire_ = std::make_unique<WireWatch>(group, *endpoint_, transport.parts.size() > 1);
    sequence_ = std::make_unique<MappedSequence>(lanes, static_cast<std::size_t>(group_.size()));
    sequence_->share_cores(crowded_);
    make_barrier();
    if (group.size() > 1 && !options.fixed) {
      clocks_ = std::make_unique<Clocks>(group, *endpoint_, *host_device_, steady_clock(), crowded_);
      clocks_->read();
    }
  }

  // What was measured of a point, and on how many buffer sets.
  struct Measured {
    Measurement measurement;
    std::optional<FixedMeasurement> fixed;  // in its place
    BufferSets sets;
    std::uint64_t sent = 0;  // bytes that an operation sends by ports
  };

  Result measure_point(const Point& point, const Policy& policy) {
    wire_->begin();
    Measured measured = run_point(point, policy, false);
    const std::uint64_t operations = measured.fixed ? measured.fixed->operations : measured.measurement.operations;
    std::optional<Wire> wire = wire_->end(operations * measured.sent);
    Result result = measured.fixed ? to_result(point, std::move(*measured.fixed), measured.sets)
                                   : to_result(point, measured.measurement, measured.sets);
    result.wire = std::move(wire);
    return result;
  }

  // One result for each ordered pair, as soon as its round is over. The policy is that of a round.
  void measure_pairs(const Point& point, const Policy& policy, const ResultSink& tell) {
    for (const PairStep& step : pair_steps(*point.recipe.algorithm, point.recipe.shape.ranks)) {
      Point round = point;
      round.recipe.shape.round = step.round;
      round.recipe.shape.ways = step.ways;
      const Measured measured = run_point(round, policy, true);
      for (PairSamples& pair : pair_samples(step, measured.measurement.by_rank)) {
        const Measurement its = measurement_of(pair, measured.measurement, policy);
        Result result = to_result(round, its, measured.sets);
        result.point.from = pair.from;
        result.point.to = pair.to;
        result.point.from_node = group_.nodes()[static_cast<std::size_t>(pair.from)];
        result.point.to_node = group_.nodes()[static_cast<std::size_t>(pair.to)];
        tell(result);
      }
    }
  }

  Measured run_point(const Point& point, const Policy& policy, bool keep_ranks) {
    Recipe recipe = point.recipe;
    recipe.shape.rank = group_.rank();
    Parts parts(recipe);
    const BufferSets chosen = sets_of(point);
    const std::size_t shift = options_.unaligned * bytes_of(recipe.type);
    const std::size_t set_bytes = set_stride(parts.mine().set_bytes(recipe.type), recipe.type);
    const auto offset_of = [&](std::size_t set) { return set * set_bytes + shift; };
    const bool stream_ordered = transport_->abilities().stream_ordered;
    const std::unique_ptr<Compute> compute = device_->compute(recipe.type, recipe.op);
    std::vector<std::unique_ptr<Runnable>> plans;
    std::vector<Runnable*> sets;
    for (std::size_t set = 0; set < chosen.count; ++set) {
      plans.push_back(mapped_ ? make_mapped_plan(parts, *endpoint_, *compute, *sequence_, 0, set)
                              : make_plan(parts, *endpoint_, *compute, memory_->buffers(offset_of(set)),
                                          memory_->passage(offset_of(set), stream_ordered)));
      sets.push_back(plans.back().get());
    }

    const Check check(recipe.algorithm->collective, recipe.type, recipe.op, recipe.shape, parts.mine().layout);
    std::uint64_t epoch = 0;
    Subject subject;
    subject.name = std::string(name(recipe.algorithm->collective)) + " by " + std::string(recipe.algorithm->name) + ", " +
                   format_bytes(point.bytes) + ", over " + chosen_.name;
    subject.sets = sets;
    subject.barrier = barrier_.get();
    subject.mode = options_.mode;
    subject.keep_ranks = keep_ranks;
    subject.check_every = options_.check_every;
    subject.repeatable = repeatable(recipe.in_place);
    subject.yield = crowded_;
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
    const std::uint64_t sent = sent_by_ports(parts.mine()) * bytes_of(recipe.type);
    if (options_.fixed) return {{}, measure_fixed(subject, group_, *options_.fixed), chosen, sent};
    if (clocks_) subject.line = &clocks_->lines()[static_cast<std::size_t>(group_.rank())];
    Measured measured{measure(subject, group_, policy), {}, chosen, sent};
    if (clocks_) clocks_->read();  // now what came before lies between two readings
    return measured;
  }

  Result unmeasured(const Point& point, Status status, const std::string& reason) const {
    Result result;
    result.run = options_.run;
    result.point = case_of(point, chosen_.name, options_);
    result.point.nodes = nodes_;
    if (mapped_) result.point.path = "mapped";
    if (memory_ && memory_->staged()) result.point.path = "staged";
    result.status = status;
    result.reason = reason;
    result.host = host_;
    result.versions = versions(chosen_);
    result.settings = settings_of(chosen_);
    if (options_.device.table != nullptr) result.versions.emplace_back("device of rank 0", device_->name());
    return result;
  }

 private:
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
          if (message.kind == Transfer::Kind::send && wire_->counts(message.peer)) elements += message.range.size();
    return elements;
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
      Recipe recipe = point.recipe;
      recipe.shape.rank = group_.rank();
      // A round of pairs in which this rank has a partner: it sits out of round `rank` if of any.
      if (recipe.algorithm->collective == Collective::pairs) recipe.shape.round = group_.rank() == 0 ? 1 : 0;
      const BufferSets sets = sets_of(point);
      most = std::max(most, sets.count * set_stride(Parts(recipe).mine().set_bytes(recipe.type), recipe.type));
    }
    return most;
  }

  // All ranks of a node together must fit: a rank alone would find room that the others take a moment later.
  void check_memory(std::size_t mine) {
    struct Need {
      std::size_t bytes, available;
    };
    const std::vector<Need> needs = gather(group_, Need{mine, host::available_memory()});
    for (int rank = 0; rank < group_.size(); ++rank) {
      const std::string& node = group_.nodes()[static_cast<std::size_t>(rank)];
      std::size_t together = 0;
      for (int other = 0; other < group_.size(); ++other)
        if (group_.nodes()[static_cast<std::size_t>(other)] == node) {
          const std::size_t bytes = needs[static_cast<std::size_t>(other)].bytes;
          together += std::min(bytes, std::numeric_limits<std::size_t>::max() - together);
        }
      const std::size_t available = needs[static_cast<std::size_t>(rank)].available;
      if (together > available)
        throw Error(Fault::usage, "the ranks on " + node + " would need " + gibibytes(together) + " for their buffers, and " +
                                      gibibytes(available) + " are free: choose smaller --bytes or fewer ranks");
    }
  }

  void make_barrier() {
    Recipe recipe;
    for (const Algorithm& algorithm : catalog())
      if (algorithm.collective == Collective::barrier && recipe.algorithm == nullptr) recipe.algorithm = &algorithm;
    recipe.type = Type::uint8;
    recipe.shape = {group_.size(), group_.rank(), 0, 1};
    Parts parts(recipe);
    barrier_compute_ = host_device_->compute(Type::uint8, Op::sum);
    barrier_ = mapped_ ? make_mapped_plan(parts, *endpoint_, *barrier_compute_, *sequence_, 0, 0)
                       : make_plan(parts, *endpoint_, *barrier_compute_, memory_->buffers(0));
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
    const Bandwidth bandwidths =
        bandwidth(point.recipe.algorithm->collective, group_.size(), result.point.bytes, measurement.time);
    summary.algbw = bandwidths.algbw;
    summary.busbw = bandwidths.busbw;
    summary.wrong = measurement.wrong;
    return result;
  }

  Result to_result(const Point& point, const Measurement& measurement, const BufferSets& sets) const {
    Result result = unmeasured(point, Status::ok, measurement.reason);
    result.status = status_of(measurement);
    const Collective collective = point.recipe.algorithm->collective;
    const double share = time_share(collective, point.recipe.shape);
    for (const Seconds sample : measurement.samples) result.samples.push_back(sample * share);
    Summary& summary = result.summary;
    summary = summary_of(measurement, share);
    summary.buffers = sets.count;
    summary.cache = sets.cold ? "cold" : "warm";
    const Bandwidth bandwidths = bandwidth(collective, group_.size(), result.point.bytes, summary.median);
    summary.algbw = bandwidths.algbw;
    summary.busbw = bandwidths.busbw;
    if (clocks_) result.arrival = arrival_of(point, measurement);
    return result;
  }

  // Ranks that stand idle start when they like: they do not count. Nothing for what has no starts, as one pair of a round.
  std::optional<Arrival> arrival_of(const Point& point, const Measurement& measurement) const {
    std::vector<std::vector<double>> starts;
    std::vector<ClockLine> lines;
    std::vector<std::size_t> ranks;
    Shape shape = point.recipe.shape;
    for (std::size_t rank = 0; rank < measurement.starts.size(); ++rank) {
      shape.rank = static_cast<std::int32_t>(rank);
      if (!takes_part(point.recipe.algorithm->collective, shape)) continue;
      starts.push_back(measurement.starts[rank]);
      lines.push_back(clocks_->lines()[rank]);
      ranks.push_back(rank);
    }
    const StartSkew skew = skew_of(starts, lines);
    if (skew.samples == 0) return std::nullopt;
    Arrival arrival;
    arrival.samples = skew.samples;
    arrival.skew = Seconds(skew.median);
    arrival.skew_max = Seconds(skew.max);
    arrival.clock_error = Seconds(skew.error);
    arrival.late_starts = measurement.late_starts;
    arrival.slowest = measurement.slowest;
    arrival.last.assign(measurement.starts.size(), 0);
    for (std::size_t i = 0; i < ranks.size(); ++i) arrival.last[ranks[i]] = skew.last[i];
    return arrival;
  }

  Group& group_;
  const ChosenTransport& chosen_;
  const SessionOptions& options_;
  std::unique_ptr<Device> device_, host_device_;
  std::unique_ptr<Transport> transport_;
  Host host_;
  int nodes_;
  bool crowded_;  // on all ranks alike
  std::size_t last_level_cache_ = 0;
  bool mapped_ = false;
  std::uint64_t seed_ = 1;
  // In the order in which they must go: plans before the endpoint, the endpoint before its memory.
  std::unique_ptr<RankMemory> memory_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<MappedSequence> sequence_;
  std::unique_ptr<Compute> barrier_compute_;
  std::unique_ptr<Runnable> barrier_;
  std::unique_ptr<WireWatch> wire_;
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
      code = graver(code, code_of(result));
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
    if (point.recipe.algorithm->collective == Collective::pairs)
      session.measure_pairs(point, policy, tell);
    else
      tell(session.measure_point(point, policy));
  }
  group.barrier();
  return code;
}

}  // namespace railgauge

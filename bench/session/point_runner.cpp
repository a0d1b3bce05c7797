#include "bench/session/point_runner.hpp"

#include <utility>
#include <vector>

#include "base/bandwidth.hpp"
#include "bench/device/queued.hpp"
#include "bench/measure/check.hpp"
#include "bench/measure/completion.hpp"
#include "bench/measure/rest.hpp"
#include "bench/schedule/pairing.hpp"
#include "bench/schedule/traffic.hpp"
#include "bench/select/counts.hpp"
#include "bench/session/explained.hpp"
#include "bench/session/summary.hpp"

namespace railgauge {
namespace {

// The data of a point's buffer sets: made before each batch, checked after it.
class PointData {
 public:
  PointData(const CollectiveSpec& spec, const RankPart& mine, RankMemory& memory, const SetLayout& layout, std::size_t sets,
            std::uint64_t seed)
      : check_(spec.algorithm->collective, spec.type, spec.op, spec.shape, mine.layout),
        memory_(memory),
        shift_(layout.shift(spec.type)),
        stride_(layout.stride(mine.set_bytes(spec.type), spec.type)),
        sets_(sets),
        seed_(seed) {}

  void restore() {
    ++epoch_;
    for (std::size_t set = 0; set < sets_; ++set)
      memory_.write(set * stride_ + shift_, stride_ - shift_,
                    [&](Bytes bytes) { check_.restore(bytes, seed_of(seed_, set, epoch_)); });
  }

  // The first wrong element, with the number of all.
  [[nodiscard]] std::optional<Mistake> check() {
    std::optional<Mistake> first;
    for (std::size_t set = 0; set < sets_; ++set) {
      std::optional<Mistake> mistake =
          check_.check(memory_.read(set * stride_ + shift_, stride_ - shift_), seed_of(seed_, set, epoch_));
      if (!mistake) continue;
      if (first)
        first->wrong += mistake->wrong;
      else
        first = std::move(mistake);
    }
    return first;
  }

 private:
  Check check_;
  RankMemory& memory_;
  std::size_t shift_, stride_, sets_;
  std::uint64_t seed_, epoch_ = 0;
};

// Bytes of an operation that busbw counts.
double moved_by(const CollectiveSpec& spec) {
  const Collective collective = spec.algorithm->collective;
  if (!spec.counts.empty()) return static_cast<double>(most_exchanged(spec.counts, spec.shape.ranks) * bytes_of(spec.type));
  const auto bytes = static_cast<double>(spec.elements * bytes_of(spec.type));
  return bytes * bandwidth_factors(collective, spec.shape.ranks).busbw / time_share(collective, spec.shape);
}

// Whether this rank has nothing to do while others are measured.
bool rests(const CollectiveSpec& spec) {
  const Shape& shape = spec.shape;
  return spec.algorithm->collective == Collective::pairs && shape.round >= 0 &&
         partner(shape.ranks, shape.rank, shape.round) == nobody;
}

}  // namespace

PointRunner::PointRunner(Connection& connection, PlanFactory& factory, const SessionOptions& options)
    : connection_(connection),
      factory_(factory),
      options_(options),
      watches_(connection.group(), connection.endpoint(), connection.chosen().parts.size() > 1, connection.device().key(),
               !options.fixed) {
  (void)factory_.barrier();  // all ranks make it now
  auto* const clocked = connection.in_stream() ? dynamic_cast<Clocked*>(&connection.device()) : nullptr;
  if (clocked != nullptr) queue_clock_ = clocked->make_clock();
  Group& group = connection.group();
  if (group.size() > 1 && !options.fixed) {
    clocks_ = std::make_unique<Clocks>(group, connection.endpoint(), connection.messenger(), connection.empty_messages(),
                                       steady_clock(), connection.oversubscribed());
    explained(group, connection.endpoint(), [&] { clocks_->read(); });
  }
}

MeasuredPoint PointRunner::run(const Point& point, const Policy& policy, const RunOptions& how) {
  Group& group = connection_.group();
  CollectiveSpec spec = point.spec;
  spec.shape.rank = group.rank();
  RankParts parts(spec);
  MeasuredPoint measured;
  measured.sets = connection_.layout().sets_of(point);
  const PointPlans made = factory_.make(parts, spec, measured.sets.count);
  std::vector<Runnable*> sets;
  for (const std::unique_ptr<Runnable>& plan : made.plans) sets.push_back(plan.get());
  PointData data(spec, parts.mine(), connection_.memory(), connection_.layout(), measured.sets.count, ++seed_);

  MeasuredOperation operation;
  operation.name = std::string(name(spec.algorithm->collective)) + " by " + std::string(spec.algorithm->name) + ", " +
                   format_bytes(point.bytes) + ", over " + connection_.chosen().name;
  operation.sets = sets;
  operation.barrier = &factory_.barrier();
  operation.mode = mode_of(options_, spec.algorithm->collective);
  operation.keep_ranks = how.keep_ranks;
  operation.check_every = options_.check_every;
  operation.repeatable = repeatable(spec.in_place);
  operation.yield = connection_.oversubscribed();
  operation.watchdog = options_.watchdog;
  if (options_.oversubscribed || rests(spec)) operation.nap = usual_nap;
  operation.clock = queue_clock_.get();
  operation.restore = [&] { data.restore(); };
  operation.check = [&] { return data.check(); };
  if (clocks_) operation.line = &clocks_->lines()[static_cast<std::size_t>(group.rank())];

  const std::uint64_t sent = sent_by_ports(parts.mine()) * bytes_of(spec.type);
  const double moved = moved_by(spec);
  const auto watched = [&](std::uint64_t operations) {
    if (spec.algorithm->collective == Collective::pairs) return watches_.end_round();
    return watches_.end(operations * sent, static_cast<double>(operations) * moved);
  };
  if (how.watched) watches_.begin();
  explained(group, connection_.endpoint(), [&] {
    if (options_.fixed) {
      measured.fixed = measure_fixed(operation, group, *options_.fixed);
      measured.watched = watched(measured.fixed->operations);
    } else {
      measured.measurement = measure(operation, group, policy);
      if (how.watched) measured.watched = watched(measured.measurement.operations);
      if (clocks_ && how.watched) clocks_->read();  // now what came before lies between two readings
    }
    if (made.native != nullptr) measured.library = choice_of(*made.native, operation);
  });
  measured.kernel = made.kernel;
  // NCCL launches a thread block for each channel.
  if (measured.library && measured.library->channels != 0)
    measured.kernel = {measured.library->protocol, measured.library->channels};
  return measured;
}

// Elements of the messages of this rank.
std::uint64_t PointRunner::sent_by_ports(const RankPart& mine) const {
  std::uint64_t elements = 0;
  for (const ResolvedSchedule& lane : mine.lanes)
    for (const ResolvedRound& round : lane)
      for (const ResolvedMessage& message : round.messages)
        if (message.kind == Transfer::Kind::send && watches_.counts(message.peer)) elements += message.range.size();
  return elements;
}

// One more operation, which all ranks take part in, and what the library says of it.
LibraryChoice PointRunner::choice_of(CollectiveRunnable& native, const MeasuredOperation& operation) const {
  native.ask();
  Completion(operation, connection_.group(), steady_clock()).finish(native, false, 0);
  const CollectiveChoice choice = native.choice();
  return {choice.algorithm, choice.protocol, choice.channels, Seconds(choice.predicted)};
}

}  // namespace railgauge

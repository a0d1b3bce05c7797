// Makes memory and data for native operations, and hands them to the measuring loop.
#include "bench/session/natives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "bench/device/host/caches.hpp"
#include "bench/group/host.hpp"
#include "bench/group/nodes.hpp"
#include "bench/measure/pattern.hpp"
#include "bench/session/places.hpp"
#include "bench/session/point_result.hpp"
#include "bench/session/summary.hpp"
#include "bench/watch/watches.hpp"
#include "transports/oversubscribed.hpp"
#include "transports/words.hpp"

namespace railgauge {
namespace {

constexpr std::array measurements{NativeMeasurement::latency, NativeMeasurement::bandwidth, NativeMeasurement::both_ways};
constexpr std::size_t slot_alignment = 64;
constexpr std::size_t cold_budget = std::size_t{256} << 20;
// Messages of a sample of bandwidth: so many that the one round trip in which the last ones arrive counts for little.
constexpr std::uint64_t sample_bytes = std::uint64_t{128} << 20, fewest_messages = 16, most_messages = 5000;
constexpr std::byte poison{0xff};

// One rank's buffers of one point: so many slots of sources, then as many of targets.
class Buffers {
 public:
  Buffers(const Group& group, const NativePoint& point, int peer, bool initiates, std::size_t slots)
      : bytes_(point.bytes),
        stride_((point.bytes + slot_alignment - 1) / slot_alignment * slot_alignment),
        slots_(slots),
        me_(group.rank()),
        peer_(peer),
        row_(*point.row),
        numbered_(point.measurement == NativeMeasurement::latency && point.row->halves),
        fills_(point.measurement == NativeMeasurement::both_ways || numbered_ || initiates == row_.fetches),
        adds_to_me_(point.measurement == NativeMeasurement::both_ways || !initiates),
        pattern_(Type::uint8, Op::none, group.size()) {
    stride_ = std::max(stride_, slot_alignment);
  }

  [[nodiscard]] std::size_t size() const { return 2 * stride_ * slots_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t slots() const { return slots_; }
  [[nodiscard]] std::byte* source(std::byte* memory) const { return memory; }
  [[nodiscard]] std::byte* target(std::byte* memory) const { return memory + stride_ * slots_; }

  void restore(std::byte* memory, std::uint64_t seed) const {
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      std::byte* const from = source(memory) + slot * stride_;
      if (row_.adds)
        std::memset(from, 0, bytes_);
      else
        pattern_.fill(Bytes(from, checked()), of(me_), slot * bytes_, seed);
      std::fill_n(target(memory) + slot * stride_, checked(), poison);
    }
  }

  // What a rank that waits for the number in a message's last byte must not find before the first one has come.
  void forget_numbers(std::byte* memory) const {
    if (!numbered_ || bytes_ == 0) return;
    for (std::size_t slot = 0; slot < slots_; ++slot)
      target(memory)[slot * stride_ + bytes_ - 1] = ~static_cast<std::byte>(slot + 1);
  }

  // After `messages` since restore(), from the peer or of its additions; `before` of them came earlier.
  [[nodiscard]] std::optional<Mistake> check(const std::byte* memory, std::uint64_t seed, std::uint64_t before,
                                             std::uint64_t messages) const {
    if (row_.adds) return adds_to_me_ ? check_sum(memory, messages) : std::nullopt;
    if (!fills_) return std::nullopt;
    std::optional<Mistake> first;
    const std::byte* const to = memory + stride_ * slots_;
    for (std::uint64_t message = 0; message < std::min<std::uint64_t>(slots_, messages); ++message) {
      const std::size_t number = (before + message) % slots_;
      const ConstBytes got(to + number * stride_, checked());
      const auto difference = pattern_.compare(got, of(peer_), number * bytes_, seed);
      if (!difference) continue;
      if (first) {
        first->wrong += difference->wrong;
        continue;
      }
      std::vector<std::byte> expected(checked());
      pattern_.fill(expected, of(peer_), number * bytes_, seed);
      first = Mistake{me_, number * bytes_ + difference->index, element_text(Type::uint8, &expected[difference->index]),
                      element_text(Type::uint8, &got[difference->index]), difference->wrong};
    }
    return first;
  }

 private:
  // The bytes that hold data: the last of a numbered message is its number.
  [[nodiscard]] std::size_t checked() const { return bytes_ - (numbered_ && bytes_ > 0 ? 1 : 0); }
  [[nodiscard]] static Source of(int rank) { return {Source::Kind::bits, static_cast<std::uint64_t>(rank)}; }
  [[nodiscard]] std::optional<Mistake> check_sum(const std::byte* memory, std::uint64_t messages) const {
    std::uint64_t sum = 0;
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      std::uint64_t one = 0;
      std::memcpy(&one, memory + slot * stride_, sizeof one);
      sum += one;
    }
    if (sum == messages) return std::nullopt;
    return Mistake{me_, 0, fmt::format("{} additions", messages), fmt::format("{}", sum), 1};
  }

  std::size_t bytes_, stride_, slots_;
  int me_, peer_;
  const NativeRow& row_;
  bool numbered_, fills_, adds_to_me_;
  Pattern pattern_;
};

// Counts what it runs.
class Counted final : public Runnable {
 public:
  explicit Counted(Runnable& inner) : inner_(inner) {}
  void start() override {
    ++count;
    inner_.start();
  }
  bool test() override { return inner_.test(); }
  std::uint64_t count = 0;

 private:
  Runnable& inner_;
};

class NativeSession {
 public:
  NativeSession(Group& group, const ChosenTransport& transport, const std::vector<NativePoint>& points,
                const SessionOptions& options)
      : group_(group),
        chosen_(transport),
        options_(options),
        device_(make_host_device()),
        transport_(transport.open()),
        host_(describe_host()),
        oversubscribed_(any_host_is_oversubscribed(group) || options.oversubscribed) {
    if (group.size() % 2 != 0)
      throw Error(Fault::usage,
                  fmt::format("operations of a transport run between pairs of ranks, and there are {}", group.size()));
    const int half = group.size() / 2;
    initiates_ = group.rank() < half;
    peer_ = initiates_ ? group.rank() + half : group.rank() - half;
    const std::uint64_t mine[] = {host::last_level_share() * static_cast<std::size_t>(std::max(1, options.cores))};
    for (const Blob& blob : group.allgather(to_blob(mine)))
      for (const std::uint64_t bytes : to_words(blob)) last_level_cache_ = std::max<std::size_t>(last_level_cache_, bytes);
    std::size_t most = slot_alignment;
    for (const NativePoint& point : points) most = std::max(most, buffers_of(point).size());
    Place place = make_place(group_, *transport_, *device_, 1, false);
    place.oversubscribed = oversubscribed_;
    endpoint_ = transport_->connect(group_, place);
    watches_ = std::make_unique<Watches>(group, *endpoint_, transport.parts.size() > 1, device_->key(), true);
    memory_ = std::make_unique<Memory>(device_->allocate(most, Sharing::own));
    endpoint_->attach(memory_->region());
  }

  Result measure_point(const NativePoint& point, const Policy& policy) {
    const Buffers buffers = buffers_of(point);
    std::byte* const memory = memory_->region().address;
    NativeRun run{.operation = point.row->name,
                  .latency = point.measurement == NativeMeasurement::latency,
                  .both_ways = point.measurement == NativeMeasurement::both_ways,
                  .initiates = initiates_,
                  .peer = peer_,
                  .source = buffers.source(memory),
                  .target = buffers.target(memory),
                  .bytes = point.bytes,
                  .stride = buffers.stride(),
                  .slots = buffers.slots()};
    if (!run.latency)
      run.messages = std::max<std::uint64_t>(
          buffers.slots(), std::clamp(sample_bytes / std::max<std::uint64_t>(point.bytes, 1), fewest_messages, most_messages));
    buffers.forget_numbers(memory);
    std::unique_ptr<Native> native;
    try {
      native = chosen_.parts.front().known->table->natives->make(*endpoint_, run);
    } catch (const Error& refusal) {
      if (refusal.fault() != Fault::usage) throw;
      return skipped(point, refusal.what());
    }
    Counted counted(*native);
    std::array<Runnable*, 1> sets{&counted};
    std::uint64_t epoch = 0;
    MeasuredOperation subject;
    subject.name =
        fmt::format("{} ({}) of {} over {}", point.row->name, name(point.measurement), format_bytes(point.bytes), chosen_.name);
    subject.sets = sets;
    subject.barrier = &native->rendezvous();
    subject.check_every = !run.latency;
    // Of what one side does alone, the other sleeps until both meet again: then nobody waits for the core.
    const bool together = run.both_ways || point.row->takes || (run.latency && point.row->halves);
    subject.yield = together && oversubscribed_;
    std::uint64_t before = 0;  // operations, as the batch began
    subject.restore = [&] {
      buffers.restore(memory, seed_of(1, 0, ++epoch));
      before = counted.count;
    };
    subject.check = [&] {
      native->settle();
      return buffers.check(memory, seed_of(1, 0, epoch), before * run.messages, (counted.count - before) * run.messages);
    };
    watches_->begin();
    const Measurement measurement = measure(subject, group_, policy);
    const bool sends = run.both_ways || (run.latency && point.row->halves) || initiates_ != point.row->fetches;
    const std::uint64_t bytes = counted.count * run.messages * point.bytes;
    // Of an operation that has two halves both directions are in a latency's iteration.
    const double moved = static_cast<double>(bytes) * (run.latency && point.row->halves ? 2 : 1);
    Watched watched = watches_->end(sends && watches_->counts(peer_) ? bytes : 0, moved);
    Result result = to_result(point, run, measurement);
    std::move(watched).give(result);
    return result;
  }

  Result skipped(const NativePoint& point, const std::string& reason) const {
    Result result = unmeasured(point);
    result.status = Status::skipped;
    result.reason = reason;
    return result;
  }

  Result unmeasured(const NativePoint& point) const {
    Result result;
    result.run = options_.run;
    result.point = native_case(point.row->name, point.measurement, chosen_.name, group_.size(), count_nodes(group_), point.bytes);
    result.host = host_;
    result.versions = versions(chosen_);
    result.settings = settings_of(chosen_, options_);
    return result;
  }

 private:
  [[nodiscard]] Buffers buffers_of(const NativePoint& point) const {
    std::size_t slots = 1;
    if (options_.cache == Cache::cold)
      slots =
          choose_sets(std::max<std::uint64_t>(point.bytes, slot_alignment), Cache::cold, last_level_cache_, cold_budget).count;
    // Of an even number of slots, 256 times later a message would have the number of what its slot still holds.
    if (point.measurement == NativeMeasurement::latency && slots % 2 == 0) ++slots;
    return {group_, point, peer_, initiates_, slots};
  }

  [[nodiscard]] Result to_result(const NativePoint& point, const NativeRun& run, const Measurement& measurement) const {
    Result result = unmeasured(point);
    result.status = status_of(measurement);
    result.reason = measurement.reason;
    const double share = run.latency ? (point.row->halves ? 0.5 : 1.0) : 1.0 / static_cast<double>(run.messages);
    for (const Seconds sample : measurement.samples) result.samples.push_back(sample * share);
    result.summary = summary_of(measurement, share);
    result.summary.batch *= run.messages;
    result.summary.cache = options_.cache == Cache::cold ? "cold" : "warm";
    result.summary.buffers = run.slots;
    const double median = result.summary.median.count();
    if (median > 0) result.summary.busbw = static_cast<double>(point.bytes) / 1e9 / median;
    result.summary.algbw = result.summary.busbw * (run.both_ways ? 2 : 1);
    return result;
  }

  Group& group_;
  const ChosenTransport& chosen_;
  const SessionOptions& options_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Transport> transport_;
  Host host_;
  int peer_ = 0;
  bool initiates_ = true;
  bool oversubscribed_;               // on all ranks alike
  std::size_t last_level_cache_ = 0;  // the largest of any rank's
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Endpoint> endpoint_;  // goes first
  std::unique_ptr<Watches> watches_;
};

}  // namespace

std::vector<NativeMeasurement> chosen_measurements(const SweepOptions& options) {
  if (options.algorithms.empty()) return {NativeMeasurement::latency, NativeMeasurement::bandwidth};
  std::vector<NativeMeasurement> chosen;
  for (const std::string& asked : options.algorithms) {
    const auto measurement =
        std::find_if(measurements.begin(), measurements.end(), [&](NativeMeasurement one) { return asked == name(one); });
    if (asked == "all")
      chosen.assign(measurements.begin(), measurements.end());
    else if (measurement != measurements.end())
      chosen.push_back(*measurement);
    else
      throw Error(Fault::usage,
                  fmt::format("there is no algorithm {} of an operation of a transport: choose from latency, bandwidth, "
                              "both_ways or all",
                              asked));
  }
  return chosen;
}

Case native_case(std::string_view operation, NativeMeasurement measurement, const std::string& transport, int ranks, int nodes,
                 std::uint64_t bytes) {
  Case point;
  point.collective = operation;
  point.algorithm = name(measurement);
  point.transport = transport;
  point.type = name(Type::uint8);
  point.path = "native";
  point.ranks = ranks;
  point.nodes = nodes;
  point.bytes = point.count = bytes;
  return point;
}

const NativeRow* find_native(const KnownTransport& transport, std::string_view name) {
  if (transport.table == nullptr || transport.table->natives == nullptr) return nullptr;
  for (const NativeRow& row : transport.table->natives->rows)
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<NativePoint> make_native_points(const SweepOptions& options, const KnownTransport& transport) {
  std::vector<NativePoint> points;
  for (const std::string& asked : options.collectives) {
    const NativeRow* row = find_native(transport, asked);
    if (row == nullptr) continue;
    const std::vector<std::uint64_t> sizes =
        row->only_bytes != 0 ? std::vector{row->only_bytes} : parse_sizes(options.bytes, options.factor);
    for (const NativeMeasurement measurement : chosen_measurements(options))
      for (const std::uint64_t bytes : sizes) points.push_back({row, measurement, bytes});
  }
  return points;
}

int run_natives(Group& group, const ChosenTransport& transport, const std::vector<NativePoint>& points,
                const SessionOptions& options, const ResultSink& add) {
  if (points.empty()) return 0;
  NativeSession session(group, transport, points, options);
  const Clock clock = steady_clock();
  const Seconds begin = clock.now();
  int code = 0;
  for (const NativePoint& point : points) {
    Policy policy = options.policy;
    const bool fits = fit_budget(group, options.budget, clock.now() - begin, policy);
    const Result result =
        options.device.table != nullptr
            ? session.skipped(point, "operations of a transport are measured on memory of the host: leave --memory out")
        : fits ? session.measure_point(point, policy)
               : session.skipped(point, budget_is_over);
    if (result.status == Status::wrong) code = static_cast<int>(Fault::wrong_data);
    if (group.rank() == 0) add(result);
  }
  group.barrier();
  return code;
}

}  // namespace railgauge

// Hands a job of a device to the measuring loop, and makes a result of what comes out.
#include "bench/copy/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/units.hpp"
#include "base/words.hpp"
#include "bench/device/host/numa.hpp"
#include "bench/host.hpp"
#include "bench/measure/loop.hpp"
#include "bench/summary.hpp"

namespace railgauge {
namespace {

// Copies of one start(): so many that the device's clock, which counts in half microseconds, is fine enough.
constexpr std::uint64_t start_bytes = std::uint64_t{64} << 20, most_copies = 64;

// The same job, which adds up the times that its device tells.
class Timed final : public Runnable {
 public:
  explicit Timed(CopyJob& job) : job_(job) {}
  void start() override { job_.start(); }
  bool test() override {
    if (!job_.test()) return false;
    if (const std::optional<Seconds> time = job_.device_time()) sum_ = sum_.value_or(Seconds{0.0}) + *time;
    return true;
  }
  // Since it was asked last; nothing where the device tells none.
  [[nodiscard]] std::optional<Seconds> take() { return std::exchange(sum_, std::nullopt); }

 private:
  CopyJob& job_;
  std::optional<Seconds> sum_;
};

// Both ends' memory of the host, and the job that copies between them. The job goes first.
struct Prepared {
  std::optional<Memory> from, to;
  MadeCopy made;
};

CopyEnd end_of(const CopyPlace& place, const CopyMatrix& matrix, std::optional<Memory>& memory) {
  if (!place.host()) return {.device = place.device, .node = -1, .host = {}};
  memory.emplace(host::allocate_on(place.memory.node, end_bytes(matrix.bytes, matrix.both_ways)));
  return {.device = -1, .node = place.memory.node, .host = Bytes(memory->region().address, memory->region().bytes)};
}

std::uint64_t copies_of(std::uint64_t bytes) { return std::clamp<std::uint64_t>(start_bytes / bytes, 1, most_copies); }

void prepare(Prepared& prepared, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell) {
  const CopyPlace &from = found.places[cell.from], &to = found.places[cell.to];
  CopyOrder order{.from = end_of(from, matrix, prepared.from),
                  .to = end_of(to, matrix, prepared.to),
                  .mover = matrix.mover,
                  .reads = matrix.reads,
                  .both_ways = matrix.both_ways,
                  .bytes = matrix.bytes,
                  .copies = copies_of(matrix.bytes)};
  prepared.made = matrix.table->make(order);
}

std::string byte_text(std::byte byte) { return fmt::format("0x{:02x}", std::to_integer<unsigned>(byte)); }

Mistake mistake_of(const CopyMistake& mistake) {
  return {.rank = 0,
          .index = mistake.byte,
          .expected = byte_text(mistake.expected),
          .got = byte_text(mistake.got),
          .wrong = mistake.wrong};
}

std::string sentence_of(const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, const CopyMistake& mistake) {
  const CopyPlace& target = found.places[mistake.back ? cell.from : cell.to];
  return fmt::format("{} of {} bytes that were copied to {} are wrong; the first is byte {}: expected {}, got {}", mistake.wrong,
                     matrix.bytes, target.memory.name, mistake.byte, byte_text(mistake.expected), byte_text(mistake.got));
}

}  // namespace

std::string name_of(const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell) {
  return fmt::format("{} {} {}", found.places[cell.from].memory.name, matrix.both_ways ? "<->" : "->",
                     found.places[cell.to].memory.name);
}

Result unmeasured_copy(const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, Status status,
                       const std::string& reason) {
  Result result;
  Case& point = result.point;
  point.collective = "copy";
  point.algorithm = matrix.both_ways ? "two_way" : "one_way";
  point.transport = matrix.way;
  point.device = matrix.memory;
  point.type = name(Type::uint8);
  point.path = "direct";
  point.ranks = static_cast<int>(found.places.size());
  point.nodes = 1;
  point.bytes = point.count = matrix.bytes;
  point.from = static_cast<int>(cell.from);
  point.to = static_cast<int>(cell.to);
  point.from_node = found.places[cell.from].memory.name;
  point.to_node = found.places[cell.to].memory.name;
  result.status = status;
  result.reason = reason;
  result.host = describe_host();
  result.versions.emplace_back("railgauge", RAILGAUGE_VERSION);
  for (const std::size_t end : {cell.from, cell.to}) {
    const CopyPlace& place = found.places[end];
    if (!place.host() && result.versions.back().first != place.memory.name)
      result.versions.emplace_back(place.memory.name, place.memory.summary);
  }
  return result;
}

Result measure_copy(Group& group, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, const Policy& policy) {
  Prepared prepared;
  try {
    prepare(prepared, found, matrix, cell);
  } catch (const Error& refusal) {
    if (refusal.fault() != Fault::usage) throw;
    return unmeasured_copy(found, matrix, cell, Status::skipped, refusal.what());
  }
  CopyJob& job = *prepared.made.job;
  Timed timed(job);
  std::array<Runnable*, 1> sets{&timed};
  std::vector<Seconds> by_clock;
  std::optional<CopyMistake> mistake;
  Subject subject;
  subject.name = fmt::format("copy {} of {} by {}", name_of(found, matrix, cell), format_bytes(matrix.bytes), matrix.way);
  subject.sets = sets;
  subject.check_every = false;
  subject.restore = [&] { job.restore(); };
  subject.check = [&]() -> std::optional<Mistake> {
    const std::optional<CopyMistake> now = job.check();
    if (!now) return std::nullopt;
    if (!mistake) mistake = now;
    return mistake_of(*now);
  };
  bool told = false;  // whether the device has a clock
  subject.device_time = [&](Seconds clock) {
    const std::optional<Seconds> time = timed.take();
    told = time.has_value();
    by_clock.push_back(clock);
    return time.value_or(clock);
  };
  const std::uint64_t copies = copies_of(matrix.bytes);
  Policy its = policy;
  if (its.iterations) its.iterations = (*its.iterations + copies - 1) / copies;
  const Measurement measurement = measure(subject, group, its);

  Result result = unmeasured_copy(found, matrix, cell, status_of(measurement), measurement.reason);
  if (mistake) result.reason = sentence_of(found, matrix, cell, *mistake);
  if (prepared.made.staged) result.point.path = "staged";
  const double share = 1 / static_cast<double>(copies);
  for (const Seconds sample : measurement.samples) result.samples.push_back(sample * share);
  const double of_batch = share / static_cast<double>(measurement.batch);
  const std::size_t warm_up = by_clock.size() - std::min(by_clock.size(), measurement.samples.size());
  for (std::size_t i = warm_up; told && i < by_clock.size(); ++i) result.host_samples.push_back(by_clock[i] * of_batch);
  result.summary = summary_of(measurement, share);
  result.summary.batch *= copies;
  const std::size_t cache = std::max(found.places[cell.from].memory.cache_bytes, found.places[cell.to].memory.cache_bytes);
  result.summary.cache = matrix.bytes > cache ? "cold" : "warm";  // source and target together exceed it twice
  const double median = result.summary.median.count();
  if (median > 0) result.summary.busbw = static_cast<double>(matrix.bytes) / 1e9 / median;
  result.summary.algbw = result.summary.busbw * (matrix.both_ways ? 2 : 1);
  return result;
}

}  // namespace railgauge

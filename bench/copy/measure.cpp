// Hands a job of a device to the measuring loop, and makes a result of what comes out.
#include "bench/copy/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "base/version.hpp"
#include "base/words.hpp"
#include "bench/device/chase.hpp"
#include "bench/device/host/numa.hpp"
#include "bench/group/host.hpp"
#include "bench/measure/loop.hpp"
#include "bench/session/summary.hpp"

namespace railgauge {
namespace {

// Copies of one start(): so many that the device's clock, which counts in half microseconds, is fine enough.
constexpr std::uint64_t start_bytes = std::uint64_t{64} << 20, most_copies = 64;
// Steps of one start(): odd, so that no walk ends where it began.
constexpr std::uint64_t start_steps = 4097;

// What is run again and again for a cell.
struct Work {
  Runnable& runnable;
  std::function<std::optional<Seconds>()> device_time;  // of the last start(), where the device has a clock
  std::function<void()> restore;                        // may be empty
  std::function<std::optional<Mistake>(std::string& sentence)> check;
  std::uint64_t of_start = 1;  // copies or steps of one start()
};

// The same, which adds up the times that its device tells.
class Timed final : public Runnable {
 public:
  explicit Timed(const Work& work) : work_(work) {}
  void start() override { work_.runnable.start(); }
  bool test() override {
    if (!work_.runnable.test()) return false;
    if (const std::optional<Seconds> time = work_.device_time()) sum_ = sum_.value_or(Seconds{0.0}) + *time;
    return true;
  }
  // Since it was asked last; nothing where the device tells none.
  [[nodiscard]] std::optional<Seconds> take() { return std::exchange(sum_, std::nullopt); }

 private:
  const Work& work_;
  std::optional<Seconds> sum_;
};

// Both ends' memory of the host, and the job that copies between them, or walks through the first. The job goes first.
struct Prepared {
  std::optional<Memory> from, to;
  MadeCopy made;
  std::unique_ptr<ChaseJob> chase;  // in its place
};

CopyEnd end_of(const CopyPlace& place, const CopyMatrix& matrix, std::optional<Memory>& memory) {
  if (!place.host()) return {.device = place.device, .node = -1, .host = {}};
  memory.emplace(host::allocate_on(place.memory.node, end_bytes(matrix.bytes, matrix.both_ways)));
  return {.device = -1, .node = place.memory.node, .host = Bytes(memory->region().address, memory->region().bytes)};
}

std::uint64_t copies_of(std::uint64_t bytes) { return std::clamp<std::uint64_t>(start_bytes / bytes, 1, most_copies); }

void prepare(Prepared& prepared, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell) {
  const CopyPlace &from = found.places[cell.from], &to = found.places[cell.to];
  if (matrix.chase) {
    const CopyEnd reader{.device = to.device, .node = to.host() ? to.memory.node : -1, .host = {}};
    prepared.chase = matrix.table->chase(
        {.memory = end_of(from, matrix, prepared.from), .reader = reader, .bytes = matrix.bytes, .steps = start_steps});
    return;
  }
  CopyOrder order{.from = end_of(from, matrix, prepared.from),
                  .to = end_of(to, matrix, prepared.to),
                  .mover = matrix.mover,
                  .reads = matrix.reads,
                  .both_ways = matrix.both_ways,
                  .bytes = matrix.bytes,
                  .copies = copies_of(matrix.bytes)};
  prepared.made = matrix.table->make(order);
}

// Whether so many bytes exceed twice the largest cache of both ends.
const char* cold_or_warm(std::uint64_t bytes, const CopyPlaces& found, const CopyCell& cell) {
  const std::size_t cache = std::max(found.places[cell.from].memory.cache_bytes, found.places[cell.to].memory.cache_bytes);
  return bytes > 2 * cache ? "cold" : "warm";
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

// Runs it until its time is known. `sentence` is filled where data was wrong.
Measurement run_work(Group& group, const Work& work, const std::string& name, const Policy& policy, std::string& sentence) {
  Timed timed(work);
  std::array<Runnable*, 1> sets{&timed};
  MeasuredOperation subject;
  subject.name = name;
  subject.sets = sets;
  subject.check_every = false;
  subject.restore = work.restore;
  subject.check = [&] { return work.check(sentence); };
  subject.device_time = [&] { return timed.take(); };
  Policy its = policy;
  if (its.iterations) its.iterations = (*its.iterations + work.of_start - 1) / work.of_start;
  return measure(subject, group, its);
}

// Without bandwidths and cache, which copies and walks have their own of.
Result measure_work(Group& group, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, const Policy& policy,
                    const Work& work) {
  std::string sentence;
  const std::string name = fmt::format("{} {} of {} by {}", matrix.chase ? "chase" : "copy", name_of(found, matrix, cell),
                                       format_bytes(matrix.bytes), matrix.way);
  const Measurement measurement = run_work(group, work, name, policy, sentence);
  Result result = unmeasured_copy(found, matrix, cell, status_of(measurement), measurement.reason);
  if (!sentence.empty()) result.reason = std::move(sentence);
  const double share = 1 / static_cast<double>(work.of_start);
  for (const Seconds sample : measurement.samples) result.samples.push_back(sample * share);
  for (const Seconds sample : measurement.host_samples) result.host_samples.push_back(sample * share);
  result.summary = summary_of(measurement, share);
  result.summary.batch *= work.of_start;
  return result;
}

Result copied(Group& group, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, const Policy& policy,
              Prepared& prepared) {
  CopyJob& job = *prepared.made.job;
  const Work work{.runnable = job,
                  .device_time = [&] { return job.device_time(); },
                  .restore = [&] { job.restore(); },
                  .check = [&](std::string& sentence) -> std::optional<Mistake> {
                    const std::optional<CopyMistake> mistake = job.check();
                    if (!mistake) return std::nullopt;
                    if (sentence.empty()) sentence = sentence_of(found, matrix, cell, *mistake);
                    return mistake_of(*mistake);
                  },
                  .of_start = copies_of(matrix.bytes)};
  Result result = measure_work(group, found, matrix, cell, policy, work);
  if (prepared.made.staged) result.point.path = "staged";
  result.summary.cache = cold_or_warm(2 * matrix.bytes, found, cell);
  const double median = result.summary.median.count();
  if (median > 0) result.summary.busbw = static_cast<double>(matrix.bytes) / 1e9 / median;
  result.summary.algbw = result.summary.busbw * (matrix.both_ways ? 2 : 1);
  return result;
}

Result chased(Group& group, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, const Policy& policy,
              ChaseJob& job) {
  const Work work{.runnable = job,
                  .device_time = [&] { return job.device_time(); },
                  .restore = {},
                  .check = [&](std::string& sentence) -> std::optional<Mistake> {
                    const std::optional<ChaseMistake> mistake = job.check();
                    if (!mistake) return std::nullopt;
                    if (sentence.empty())
                      sentence = fmt::format("{} followed pointers in memory of {} to byte {}, and byte {} is where they lead",
                                             found.places[cell.to].memory.name, found.places[cell.from].memory.name, mistake->got,
                                             mistake->expected);
                    return Mistake{.rank = 0,
                                   .index = mistake->expected,
                                   .expected = fmt::format("byte {}", mistake->expected),
                                   .got = fmt::format("byte {}", mistake->got),
                                   .wrong = 1};
                  },
                  .of_start = start_steps};
  Result result = measure_work(group, found, matrix, cell, policy, work);
  result.summary.cache = cold_or_warm(matrix.bytes, found, cell);
  return result;
}

// The sentence of what an end refuses, where it does: that cell is skipped.
std::optional<std::string> refusal_of(const std::function<void()>& prepare) {
  try {
    prepare();
  } catch (const Error& refusal) {
    if (refusal.fault() != Fault::usage) throw;
    return refusal.what();
  }
  return std::nullopt;
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
  point.algorithm = algorithm_of(matrix);
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
  result.versions.emplace_back("railgauge", std::string(version()));
  for (const std::size_t end : {cell.from, cell.to}) {
    const CopyPlace& place = found.places[end];
    if (!place.host() && result.versions.back().first != place.memory.name)
      result.versions.emplace_back(place.memory.name, place.memory.summary);
  }
  return result;
}

Result measure_copy(Group& group, const CopyPlaces& found, const CopyMatrix& matrix, const CopyCell& cell, const Policy& policy) {
  Prepared prepared;
  if (const auto refusal = refusal_of([&] { prepare(prepared, found, matrix, cell); }))
    return unmeasured_copy(found, matrix, cell, Status::skipped, *refusal);
  return matrix.chase ? chased(group, found, matrix, cell, policy, *prepared.chase)
                      : copied(group, found, matrix, cell, policy, prepared);
}

}  // namespace railgauge

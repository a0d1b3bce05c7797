// The contract of results: plain records that every writer reads and no writer changes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace railgauge {

// One point of a sweep, in the names of base/words.hpp.
struct Case {
  std::string collective;
  std::string algorithm;
  std::string transport;
  std::string device = "host";
  std::string type;
  std::string op = "none";
  std::string mode = "back-to-back";  // or "isolated": each iteration starts together; or "window": at an agreed time
  std::string path = "exchange";  // or "mapped", "staged", "native": how the plan ran, or "predicted"; copies: "direct", "staged"
  int ranks = 0;
  int nodes = 0;
  int root = -1;  // -1 where the collective has none
  int lanes = 1;
  bool in_place = false;
  std::uint64_t bytes = 0;                           // S of docs/bandwidth.md
  std::uint64_t count = 0;                           // elements of S
  std::uint64_t window = 0;                          // messages in flight together; 0 where the pattern has no window
  std::optional<std::uint64_t> seed = std::nullopt;  // of permutation
  int from = -1, to = -1;                            // the ranks, or places of copies, of one entry of a matrix; -1 elsewhere
  std::string from_node = {}, to_node = {};          // where those ranks run, or the names of the places
};

// predicted: computed by `railgauge predict` and not measured, so it has no samples, and Result::predicted is its time.
enum class Status : std::uint8_t { ok, not_converged, predicted, skipped, wrong, failed };
inline constexpr std::array statuses{Status::ok,      Status::not_converged, Status::predicted,
                                     Status::skipped, Status::wrong,         Status::failed};

struct Summary {
  std::uint64_t samples = 0;     // timed samples, each the maximum over ranks
  std::uint64_t batch = 1;       // iterations of one sample
  std::uint64_t buffers = 1;     // buffer sets that the iterations of a batch take round-robin
  std::string cache = "warm";    // "cold": the sets together exceed twice the last-level cache
  double effective_samples = 0;  // corrected for autocorrelation
  double checked = 1;            // share of the timed iterations whose data was checked
  std::uint64_t warm_up = 0;     // iterations before the first sample
  Seconds min{}, median{}, ci_low{}, ci_high{}, p95{}, p99{}, max{};
  double algbw = 0, busbw = 0;  // 1e9 bytes a second, from the median or the predicted time; 0 where nothing is moved
  std::uint64_t wrong = 0;      // wrong elements
};

// When the ranks began their samples, on clocks synchronised across ranks, and who took longest (docs/clocks.md).
struct Arrival {
  std::uint64_t samples = 0;           // that were looked at: all, or the first 10,000
  Seconds skew{}, skew_max{};          // from the first rank's start to the last one's: median and maximum over samples
  Seconds clock_error{};               // each start is known to within this, the worst of the ranks
  std::uint64_t late_starts = 0;       // window: samples in which a rank came after the agreed time
  std::vector<std::uint64_t> last;     // by rank: samples in which it was the last to start
  std::vector<std::uint64_t> slowest;  // by rank: samples in which it took longest
};

// The bandwidth that the topology allows (topo/expect/expect.hpp).
struct Expectation {
  double busbw = 0;   // 1e9 bytes a second
  std::string basis;  // "ring: min(V, g*r) = min(?, 2*12.5)"
};

// The counters of one port during a point, warm-up included.
struct PortTraffic {
  std::string node, port;                       // "mlx5_0/1" of an RDMA device, "eth0" of a network interface
  bool planned = false;                         // ranks were to send by it
  std::optional<std::uint64_t> sent, received;  // bytes; empty where they are not counted
  std::map<std::string, std::uint64_t> errors;  // counters of errors that grew
};

// The bytes that ranks sent, beside the bytes that ports counted.
struct Wire {
  std::uint64_t asked = 0;  // of the messages of all ranks, warm-up included
  std::vector<PortTraffic> ports;
};

// The choices of a library for its own collective, in the library's words.
struct LibraryChoice {
  std::string algorithm, protocol;  // empty where it did not tell
  int channels = 0;                 // 0: the same
  Seconds predicted{};              // what the library expected it to take; 0: the same
};

// What an operation takes of rank 0's GPU, where kernels move its data: railgauge's own or a library's.
struct KernelUse {
  std::string protocol;  // as NCCL calls them: "LL" for packets, "Simple" for flags beside the data, "LL, Simple"; empty: unknown
  int multiprocessors = 0;  // at most: one for each thread block; of NCCL, for each channel
  Seconds launch{};         // that each further plan that does nothing takes behind another one; 0: unknown
  bool operator==(const KernelUse&) const = default;
};

// The energy that one source used during a point.
struct EnergyUse {
  std::string node, source;  // "package-0" and "package-0 dram" of RAPL, "GPU-7a..." of NVML
  double joules = 0;
};

// A clock just before and just after a point.
struct ClockSpan {
  std::string node, source, clock;  // "cores", "core"; "GPU-7a...", "SM" or "memory"
  double least = 0, most = 0;       // megahertz, of both readings and, where a source has several clocks, of all
  std::optional<double> limit;      // megahertz: the highest of its own range
};

// A cause that throttled clocks during a point.
struct Throttle {
  std::string node, source, cause;      // "core 3", "heat"; "GPU-7a...", "SW power cap"
  bool suspect = true;                  // false: clocks are low on purpose, as those of an idle GPU
  std::optional<Seconds> time;          // for which it did; empty where nobody counts it
  std::optional<std::uint64_t> events;  // how often; empty where nobody counts them
  bool before = false, after = false;   // whether it was on when the point began and when it ended
};

// A source that could not be read, and the reason.
struct Absence {
  std::string what, reason;
  std::vector<std::string> nodes;
};

// Energy, clocks and throttling around a point (docs/power.md).
struct Power {
  Seconds span{};                 // between the two readings, by rank 0's clock
  double gigabytes = 0;           // 1e9 bytes that busbw counts, of all operations between the two, warm-up included
  bool tells_throttling = false;  // some source says whether clocks are throttled
  std::vector<EnergyUse> energy;
  std::vector<ClockSpan> clocks;
  std::vector<Throttle> throttles;
  std::vector<Absence> absent;
};

// The outcome of measuring an outlier of a matrix again: a rank or a pair (docs/pairs.md).
struct PairFinding {
  enum class Outcome : std::uint8_t { slow, cleared, inconclusive };
  int from = -1, to = -1;  // a pair; of a rank, from alone: what it sends (two_way: exchanges), or to alone: what it receives
  Outcome outcome = Outcome::inconclusive;
  double ratio = 1;               // times as slow as those that it was compared with: the median of the new comparisons
  std::uint64_t comparisons = 0;  // that were made anew
  std::uint64_t slower = 0;       // of those in which it was slower by more than counts
};

struct Host {
  std::string name;
  std::string cpu;
  std::string kernel;
};

struct Result {
  std::string run;  // the same for all results of one command
  Case point;
  Status status = Status::ok;
  std::string reason;  // a sentence where the status is not ok
  std::vector<Seconds> samples;
  std::vector<std::vector<Seconds>> by_rank;  // each rank's times of the iterations, where they were asked for; else empty
  std::vector<Seconds> host_samples;  // what the hosts' clocks say of the samples, where a device's own timed them; else empty
  Summary summary;
  std::optional<Arrival> arrival;        // of runs whose clocks were synchronised
  std::optional<Wire> wire;              // where ports count
  std::optional<Power> power;            // of runs that look at it
  std::optional<LibraryChoice> library;  // of a collective of the transport's library that says how it was done
  std::optional<KernelUse> kernel;       // of plans that run on a GPU
  // In the last result of a matrix: all outliers in it, as measured again; empty where there was none.
  std::optional<std::vector<PairFinding>> findings;
  std::optional<Expectation> expected;   // where the topology tells what the links between the ranks carry
  std::optional<double> expected_share;  // of expected that was asked for (bench --expect), above 0 and at most 1
  std::optional<Seconds> predicted;      // the time that `railgauge predict` gives on the topology that was named; above 0
  Host host;
  std::string topology;  // fingerprint of what the ranks' hosts are made of (topo/fingerprint.hpp); empty where it is not known
  std::vector<std::pair<std::string, std::string>> environment;  // variables of the allow-list that were set: name, value
  std::vector<std::string> environment_differs;  // names of those that not all ranks have alike; the values are rank 0's
  std::vector<std::pair<std::string, std::string>> versions;  // library, version
  std::vector<std::pair<std::string, std::string>> settings;  // of the transports, as they were given: "ucx.tls", "tcp"
};

[[nodiscard]] constexpr const char* name(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::not_converged:
      return "not_converged";
    case Status::predicted:
      return "predicted";
    case Status::skipped:
      return "skipped";
    case Status::wrong:
      return "wrong";
    case Status::failed:
      return "failed";
  }
  return "?";
}

// Whether somebody tried to measure it.
[[nodiscard]] constexpr bool was_tried(Status status) noexcept {
  return status != Status::skipped && status != Status::predicted;
}

// It has bandwidths: of its samples, or of what was predicted.
[[nodiscard]] constexpr bool has_bandwidth(const Result& result) noexcept {
  return result.summary.samples != 0 || result.status == Status::predicted;
}

[[nodiscard]] constexpr const char* name(PairFinding::Outcome outcome) noexcept {
  return outcome == PairFinding::Outcome::slow ? "slow" : outcome == PairFinding::Outcome::cleared ? "cleared" : "inconclusive";
}

}  // namespace railgauge

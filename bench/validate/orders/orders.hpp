// The tasks of a validation's agents and the answers to them. to_json and from_json turn a task into the `words` of an order, and
// an answer into its `figures` (bench/agents/order.hpp). from_json throws nlohmann::json::exception for JSON that is none of
// them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "reports/result.hpp"

namespace railgauge::validate {

// Measures one point after the other among the members; the first of them answers with Measured.
struct MeasureTask {
  static constexpr const char* name = "measure";
  struct PointSpec {
    std::string what;   // collective or pattern: "stream", "all_reduce"
    std::string bytes;  // "256K"
    std::optional<std::uint64_t> seed;
    std::optional<std::uint32_t> window;  // messages in flight at the same time
    bool back = false;                    // the second member sends, and the first receives
  };
  std::vector<PointSpec> points;
  Seconds seconds{};  // that each point is measured
  std::optional<Seconds> watchdog;
  std::string transport;  // empty: the transport between hosts
  bool expect = false;    // the answer has also the ceiling that the hosts' topology sets
  bool packets = false;   // each member answers with Measured, and has in it what it sent itself
};
// What came of one point. Times are of one iteration.
struct MeasuredPoint {
  std::string what;
  bool back = false;
  std::uint64_t bytes = 0;
  Status status = Status::ok;
  std::string reason;
  Seconds median{}, least{}, p95{}, p99{}, most{};
  Seconds begun{};   // when the measured time began, since the order did
  double busbw = 0;  // 1e9 bytes a second
  std::uint64_t samples = 0;
  std::vector<Seconds> stretches;  // means over stretches of the measured time, in order
  std::optional<double> ceiling;   // of busbw; empty where nobody asked or the topology does not tell
  std::string basis;               // how the ceiling was reckoned
};
// What one member sent while a point was measured, as one protocol or port of its host counted it.
struct PacketCount {
  std::string by;            // topo::tcp, or an RDMA port: "mlx5_0/1"
  std::uint64_t sent = 0;    // packets
  std::uint64_t resent = 0;  // of which the first copy was lost, as far as the sender knows
};
struct Measured {
  std::vector<MeasuredPoint> results;                  // of the first member
  std::vector<std::vector<PacketCount>> packets = {};  // of any member, by point of the task; empty where nobody asked
};

// Asks what a host says of itself.
struct FactsTask {
  static constexpr const char* name = "facts";
  bool counters_only = false;
};
struct Facts {
  std::string facts;  // as topo::preflight::from_json() reads them
};

// Refuses thresholds that the members' hardware cannot reach. The answer is empty.
struct ThresholdsTask {
  static constexpr const char* name = "thresholds";
  std::map<std::string, double> least;  // by collective: GB/s of bus bandwidth
};

// Measures what one rank does without others. The answer to this task and to the two below is OwnFigures.
struct NodeTask {
  static constexpr const char* name = "node";
  Seconds seconds{};
  int rank_of_host = 0;
};
// Measures copies between the memories of a host, those from or to a GPU.
struct CopiesTask {
  static constexpr const char* name = "copies";
  Seconds seconds{};
};
// Measures streams from a host's NICs to themselves.
struct LoopbackTask {
  static constexpr const char* name = "loopback";
  std::vector<std::string> ports;  // "mlx5_0:1"; empty: all active ports that carry traffic between ranks
  std::string bytes;
  Seconds seconds{};
  std::optional<Seconds> watchdog;
};

// Runs a training step of a model between all members, in memory of the hosts: member i is rank i of the workload. Computations
// pass as time. The first member answers with StepTimes.
struct StepTask {
  static constexpr const char* name = "step";
  std::string model;  // bench/workload/models/models.hpp
  double scale = 1;   // of bytes and computations
  Seconds seconds{};  // for how long steps are measured
  std::optional<Seconds> watchdog;
};
// Medians over the steps. As reports of `railgauge workload` have them.
struct StepTimes {
  std::uint64_t steps = 0;
  Seconds step{}, exposed{};
};

// The component of a host that is slow where the figure is low.
enum class HostComponent : std::uint8_t { host, gpu, pcie, nvlink, nic };

struct OwnFigure {
  std::string what;  // "reduction, float32, 2 x 64 MiB"
  HostComponent component = HostComponent::host;
  double gigabytes_per_second = 0;  // the median over repeats; 0 where no data came through
  std::string of;                   // which of several: "mlx5_0/1", "numa0 -> cuda:0"; empty where there is one
};
struct OwnFigures {
  std::vector<OwnFigure> figures;
  struct Unread {
    std::string what, reason;
  };
  std::vector<Unread> unread;
};

void to_json(nlohmann::json& object, const MeasureTask& task);
void to_json(nlohmann::json& object, const Measured& measured);
void to_json(nlohmann::json& object, const FactsTask& task);
void to_json(nlohmann::json& object, const Facts& facts);
void to_json(nlohmann::json& object, const ThresholdsTask& task);
void to_json(nlohmann::json& object, const NodeTask& task);
void to_json(nlohmann::json& object, const CopiesTask& task);
void to_json(nlohmann::json& object, const LoopbackTask& task);
void to_json(nlohmann::json& object, const OwnFigures& own);
void to_json(nlohmann::json& object, const StepTask& task);
void to_json(nlohmann::json& object, const StepTimes& times);
void from_json(const nlohmann::json& object, MeasureTask& task);
void from_json(const nlohmann::json& object, Measured& measured);
void from_json(const nlohmann::json& object, FactsTask& task);
void from_json(const nlohmann::json& object, Facts& facts);
void from_json(const nlohmann::json& object, ThresholdsTask& task);
void from_json(const nlohmann::json& object, NodeTask& task);
void from_json(const nlohmann::json& object, CopiesTask& task);
void from_json(const nlohmann::json& object, LoopbackTask& task);
void from_json(const nlohmann::json& object, OwnFigures& own);
void from_json(const nlohmann::json& object, StepTask& task);
void from_json(const nlohmann::json& object, StepTimes& times);

// Whether these figures are of type Measured: other answers have no results.
[[nodiscard]] bool has_results(const nlohmann::json& figures);

}  // namespace railgauge::validate

// The tasks of a validation's agents and their answers, each with to_json and from_json: `words` of an order and `figures` of an
// answer (bench/agents/order.hpp). from_json throws nlohmann::json::exception for what is none.
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

// Measures one part after the other among the members; the first of them answers with Measured.
struct MeasureTask {
  static constexpr const char* name = "measure";
  struct Part {
    std::string what;   // collective or pattern: "stream", "all_reduce"
    std::string bytes;  // "256K"
    std::optional<std::uint64_t> seed;
    std::optional<std::uint32_t> window;  // messages in flight together
    bool back = false;                    // the second member sends, and the first receives
  };
  std::vector<Part> parts;
  Seconds seconds{};  // of each part
  std::optional<Seconds> watchdog;
  std::string transport;  // empty: that between hosts
  bool expect = false;    // also what the hosts' topology allows
};
struct MeasuredPart {
  std::string what;
  bool back = false;
  std::uint64_t bytes = 0;
  Status status = Status::ok;
  std::string reason;
  Seconds median{}, least{}, p95{}, most{};
  double busbw = 0;  // 1e9 bytes a second
  std::uint64_t samples = 0;
  std::vector<Seconds> stretches;  // means of parts of the measured time, in order
  std::optional<double> ceiling;   // of busbw, where it was asked for and the topology tells
  std::string basis;               // of the ceiling
};
struct Measured {
  std::vector<MeasuredPart> results;
};

// What a host says of itself.
struct FactsTask {
  static constexpr const char* name = "facts";
  bool counters_only = false;
};
struct Facts {
  std::string facts;  // as topo::preflight::from_json() reads them
};

// Refuses what the members' hardware cannot reach. Answered with nothing.
struct ThresholdsTask {
  static constexpr const char* name = "thresholds";
  std::map<std::string, double> least;  // by collective: GB/s of bus bandwidth
};

// What one rank can do without others. Answered with OwnFigures, as the two below.
struct NodeTask {
  static constexpr const char* name = "node";
  Seconds seconds{};
  int rank_of_host = 0;
};
// Between all memories of a host that a GPU has part in.
struct CopiesTask {
  static constexpr const char* name = "copies";
  Seconds seconds{};
};
// From a host's NICs to themselves.
struct LoopbackTask {
  static constexpr const char* name = "loopback";
  std::vector<std::string> ports;  // "mlx5_0:1"; empty: all that are active and there for traffic between ranks
  std::string bytes;
  Seconds seconds{};
  std::optional<Seconds> watchdog;
};

// What is slow where a host's own figure is low.
enum class OwnPart : std::uint8_t { host, gpu, pcie, nvlink, nic };

struct OwnFigure {
  std::string what;  // "reduction, float32, 2 x 64 MiB"
  OwnPart part = OwnPart::host;
  double gigabytes_per_second = 0;  // 1e9 bytes a second: the median over repeats; 0: nothing came through
  std::string of;                   // which of several: "mlx5_0/1", "numa0 -> cuda:0"; empty: all there is
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
void from_json(const nlohmann::json& object, MeasureTask& task);
void from_json(const nlohmann::json& object, Measured& measured);
void from_json(const nlohmann::json& object, FactsTask& task);
void from_json(const nlohmann::json& object, Facts& facts);
void from_json(const nlohmann::json& object, ThresholdsTask& task);
void from_json(const nlohmann::json& object, NodeTask& task);
void from_json(const nlohmann::json& object, CopiesTask& task);
void from_json(const nlohmann::json& object, LoopbackTask& task);
void from_json(const nlohmann::json& object, OwnFigures& own);

// Whether an answer is Measured: others have no results.
[[nodiscard]] bool has_results(const nlohmann::json& figures);

}  // namespace railgauge::validate

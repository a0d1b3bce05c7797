// What a finding means for people: what is at fault, between which two ends, how much, how sure, and what to do next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/reach.hpp"
#include "reports/validation/validation.hpp"

namespace railgauge::validate {

using validation::Blame;
using validation::Symptom;

// What else was read of a host, where it was: bandwidths between hosts alone cannot tell a NIC from its cable.
struct Evidence {
  std::optional<double> gpu_share;       // of what is usual: the host's own kernels and copies
  std::optional<double> nvlink_share;    // its GPUs among themselves
  std::optional<double> pcie_share;      // copies between host and device
  std::optional<double> loopback_share;  // of the rail: the NIC with itself
  bool pcie_degraded = false;            // of the rail: fewer lanes, or slower, than both ends can
  std::uint64_t link_errors = 0;         // of the rail's port, while it was measured
  std::vector<std::string> differences;  // from hosts of the same model: "mlx5_3 has PCIe MaxReadReq 512 and others 4096"
};

struct Verdict {
  Blame blame = Blame::inconclusive;
  bool faulty = false;
  std::string from, to;  // both ends: "n17:mlx5_3/1" and "leaf3 port 18"; `to` is empty where there is one
  std::string way;       // "sending", "receiving", "both ways", "up", "down"
  Symptom measure = Symptom::bandwidth;
  double slower = 0;               // as a share
  double odds = 1;                 // how many times likelier slow than good the new measurements are
  std::string sentence;            // all of that
  std::string next;                // what to do
  std::vector<std::string> hosts;  // to take out of service meanwhile
};

// The ends of cables as verdicts name them: "n17:mlx5_3/1", "n17 rail 2"; "leaf3 port 18".
[[nodiscard]] std::string end_of_host(const Fleet& fleet, Index host, Index rail);
[[nodiscard]] std::string end_of_switch(const Fleet& fleet, Index place, unsigned port);

// Of a host below this share of the usual, a part is slow.
inline constexpr double slow_share = 0.95;

// What was localised and confirmed: latencies as speeds_of() them, of which Verdict::slower stays a share.
enum class Measure : std::uint8_t { bandwidth, latency };

// `evidence` is of the host that the finding names, and is left aside for cables between switches. With one rail, a host that is
// slow is its NIC or cable, unless evidence says otherwise.
[[nodiscard]] Verdict verdict_of(const Fleet& fleet, const Finding& finding, const Evidence& evidence = {},
                                 Measure measure = Measure::bandwidth);
// Of one that cannot be reached: slower by 1, all of it.
[[nodiscard]] Verdict verdict_of(const Fleet& fleet, const Unreached& unreached, const Evidence& evidence = {});

}  // namespace railgauge::validate

// Says what a finding means: what is faulty, between which two ends, by how much, how sure that is, and what to do next.
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

// What else is known of a host: bandwidths between hosts alone cannot tell a NIC from its cable. Shares are of what is usual
// among its peers, and empty where nobody measured them.
struct Evidence {
  std::optional<double> gpu_share;       // the host's own kernels and copies
  std::optional<double> nvlink_share;    // its GPUs among themselves
  std::optional<double> pcie_share;      // copies between host and device
  std::optional<double> loopback_share;  // the NIC of the rail with itself
  bool pcie_degraded = false;            // the PCIe link of the rail has fewer lanes or less speed than both ends can
  std::uint64_t link_errors = 0;         // that the port of the rail counted during the measurement
  // How it differs from hosts of the same model, as sentences: "mlx5_3 has PCIe MaxReadReq 512 and others 4096".
  std::vector<std::string> differences;
};

struct Diagnosis {
  Blame blame = Blame::inconclusive;
  bool faulty = false;
  std::string from, to;   // both ends: "n17:mlx5_3/1" and "leaf3 port 18"; `to` is empty where there is one end
  std::string direction;  // "sending", "receiving", "both ways", "up", "down"; may be empty
  Symptom measure = Symptom::bandwidth;
  double slower = 0;               // as a share
  double odds = 1;                 // how many times likelier the new measurements are for a slow component than for a good one
  std::string sentence;            // all of that in words, with a full stop
  std::string next;                // what to do
  std::vector<std::string> hosts;  // to take out of service meanwhile
};

// Return the ends of cables as diagnoses name them: "n17:mlx5_3/1", "n17 rail 2"; "leaf3 port 18".
[[nodiscard]] std::string end_of_host(const Fleet& fleet, Index host, Index rail);
[[nodiscard]] std::string end_of_switch(const Fleet& fleet, Index place, unsigned port);

// Returns the other end of a host's cable, as "leaf3 port 18"; empty where the leaf is unknown.
[[nodiscard]] std::string far_end_of_host(const Fleet& fleet, Index host, Index rail);
[[nodiscard]] std::string_view way_of_host(Direction direction) noexcept;  // "sending", "receiving", "both ways"

// A component of a host is slow below this share of the usual.
inline constexpr double slow_share = 0.95;

// What a slow port or host is blamed on, by what else is known of the host.
[[nodiscard]] Blame blame_of_host(const Component& component, const Evidence& evidence);
[[nodiscard]] std::string_view next_step(Blame blame) noexcept;  // what to do, without a full stop

// What was measured: latencies are inverted by speeds_of(), and Diagnosis::slower is a share of the inverse.
enum class Measure : std::uint8_t {
  bandwidth,
  latency,
  tail,  // of latencies: their 99th percentile
};

// Diagnoses what was localised and confirmed. `evidence` is of the host that the finding names; findings between switches ignore
// it. In a fleet of one rail a slow host is diagnosed as its NIC or cable, unless the evidence says otherwise.
[[nodiscard]] Diagnosis diagnosis_of(const Fleet& fleet, const Finding& finding, const Evidence& evidence = {},
                                     Measure measure = Measure::bandwidth);
// Diagnoses what cannot be reached: it is slower by 1, which is all.
[[nodiscard]] Diagnosis diagnosis_of(const Fleet& fleet, const Unreached& unreached, const Evidence& evidence = {});

}  // namespace railgauge::validate

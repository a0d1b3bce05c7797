// Reads energy, clocks and throttling before and after a point: of each host by its first rank, and of each GPU by the first rank
// that uses it, since a rank may see no other GPU than its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure/loop.hpp"
#include "reports/result.hpp"
#include "topo/evidence/gpu_power.hpp"
#include "topo/evidence/power_reading.hpp"
#include "transports/group.hpp"

namespace railgauge {

// The sources of readings.
struct PowerSources {
  std::string gpu = {};                    // UUID of this rank's; empty where it has none
  std::filesystem::path root = {};         // of another machine's /sys; empty: this one's
  std::string nvml = "libnvidia-ml.so.1";  // as for dlopen; loaded where the rank has a GPU
  Clock clock = steady_clock();
};

class PowerWatch {
 public:
  // Collective. Reads every source once; later calls do not read a source that is absent now.
  PowerWatch(Group& group, PowerSources sources);

  void begin();
  void stop();
  // Collective: the power between begin() and stop(), valid on rank 0. `gigabytes` are as in Power.
  [[nodiscard]] Power tell(double gigabytes);

 private:
  [[nodiscard]] topo::PowerReading read() const;
  void look_at_host(topo::PowerReading& into);

  Group& group_;
  PowerSources sources_;
  bool energy_ = false, clocks_ = false, throttling_ = false;  // of its host that this rank reads
  std::vector<int> cores_;                                     // that ranks of this host run on
  std::unique_ptr<topo::GpuPower> gpu_;                        // null where this rank reads none
  bool any_ = false;                                           // some rank reads something
  std::vector<Absence> absent_;                                // at the first look, on all nodes
  topo::PowerReading before_, after_;
  Seconds begun_{}, span_{};
};

// The energy, clocks and throttling between two readings of one node, and the counters that one of them lacks. Leaves span and
// gigabytes unset.
[[nodiscard]] Power power_between(const std::string& node, const topo::PowerReading& before, const topo::PowerReading& after);

// Adds the power of another node: appends its lists, and each absence once.
void join(Power& into, Power one);

}  // namespace railgauge

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

// Where readings come from.
struct PowerSources {
  std::string gpu = {};                    // UUID of this rank's; empty where it has none
  std::filesystem::path root = {};         // of another machine's /sys; empty: this one's
  std::string nvml = "libnvidia-ml.so.1";  // as for dlopen; loaded where the rank has a GPU
  Clock clock = steady_clock();
};

class PowerWatch {
 public:
  // Collective. Looks once at all there is; what is absent then is not asked again.
  PowerWatch(Group& group, PowerSources sources);

  void begin();
  void stop();
  // Collective: what lies between begin() and stop(). `gigabytes` are as in Power. Rank 0's answer is what counts.
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

// What was used and what held clocks down between two readings of one node, and which counters were not there in both. Without
// span and gigabytes.
[[nodiscard]] Power power_between(const std::string& node, const topo::PowerReading& before, const topo::PowerReading& after);

// What several nodes say, as one: lists one after the other, and of what is absent each thing once.
void join(Power& into, Power one);

}  // namespace railgauge

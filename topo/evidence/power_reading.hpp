// One reading of the energy, clocks and throttling of processors and GPUs. The difference between a reading before a measurement
// and one after it tells the energy used and whether clocks were throttled.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace railgauge::topo {

struct EnergyCounter {
  std::string source;             // "package-0", "package-0 dram", "GPU-7a..."
  std::uint64_t microjoules = 0;  // since an unknown start
  std::uint64_t range = 0;        // the largest count before it wraps to 0; 0: it never wraps, or the range is unknown
};

struct ClockReading {
  std::string source, clock;    // "cores", "core"; "GPU-7a...", "SM" or "memory"
  double least = 0, most = 0;   // megahertz; they differ where a source has several clocks, as cores do
  std::optional<double> limit;  // megahertz: the maximum that the source states
};

struct ThrottleReading {
  std::string source, cause;                     // "core 3", "heat"; "GPU-7a...", "SW power cap"
  bool suspect = true;                           // false: clocks are low on purpose, as those of an idle GPU
  bool on = false;                               // at the moment of the reading
  std::optional<std::uint64_t> events;           // count so far
  std::optional<std::chrono::nanoseconds> time;  // throttled so far
};

// A value that is unavailable, and the reason as the system states it.
struct Absence {
  // The quantity; `all` when the whole source is unavailable.
  enum class Quantity : std::uint8_t { all, energy, clocks, sm_clock, memory_clock, throttle_reasons, throttle_time };
  std::string what;    // "energy of package-0"
  std::string reason;  // "/sys/class/powercap/intel-rapl:0/energy_uj: Permission denied"
  Quantity quantity = Quantity::all;
};

struct PowerReading {
  std::vector<EnergyCounter> energy;
  std::vector<ClockReading> clocks;
  std::vector<ThrottleReading> throttling;
  std::vector<Absence> absent;
};

}  // namespace railgauge::topo

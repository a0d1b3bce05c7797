// One reading of what processors and GPUs have used and of what holds their clocks down. Read before and after something, the
// difference says what it cost and whether it ran at full speed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace railgauge::topo {

struct EnergyCounter {
  std::string source;             // "package-0", "package-0 dram", "GPU-7a..."
  std::uint64_t microjoules = 0;  // since some moment of the past
  std::uint64_t range = 0;        // the largest count, after which it begins again at 0; 0: it never does, or it is unknown
};

struct ClockReading {
  std::string source, clock;    // "cores", "core"; "GPU-7a...", "SM" or "memory"
  double least = 0, most = 0;   // megahertz; they differ where a source has several clocks, as cores have
  std::optional<double> limit;  // megahertz: the highest of the source's own range
};

struct ThrottleReading {
  std::string source, cause;                     // "core 3", "heat"; "GPU-7a...", "SW power cap"
  bool suspect = true;                           // false: clocks are low on purpose, as those of an idle GPU
  bool on = false;                               // at this moment
  std::optional<std::uint64_t> events;           // so far
  std::optional<std::chrono::nanoseconds> time;  // for which it was on, so far
};

// What cannot be read, and why, in the words of who refused it.
struct Absence {
  // What it is a reading of; `all` where nothing of a source could be read.
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

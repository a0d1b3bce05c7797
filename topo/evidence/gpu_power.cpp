// Asks NVML what a GPU has used, how fast its clocks are and what holds them down.
#include "topo/evidence/gpu_power.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace railgauge::topo {
namespace {

using Quantity = Absence::Quantity;

struct ClockRow {
  unsigned type;  // nvmlClockType_t
  const char* name;
  const char* what;
  Quantity quantity;
};
constexpr auto clocks = std::to_array<ClockRow>({{nvml::clock_sm, "SM", "SM clock", Quantity::sm_clock},
                                                 {nvml::clock_memory, "memory", "memory clock", Quantity::memory_clock}});

struct ReasonRow {
  std::uint64_t bit;  // nvmlClocksEventReason...
  const char* cause;
  bool suspect;
};
constexpr auto reasons = std::to_array<ReasonRow>({
    {nvml::reason::idle, "idleness", false},
    {nvml::reason::application_clocks, "the setting of application clocks", false},
    {nvml::reason::sync_boost, "sync boost with other GPUs", false},
    {nvml::reason::display_clocks, "the setting of display clocks", false},
    {nvml::reason::sw_power_cap, "SW power cap", true},
    {nvml::reason::sw_thermal, "SW thermal slowdown", true},
    {nvml::reason::hw_thermal, "HW thermal slowdown", true},
    {nvml::reason::hw_power_brake, "HW power brake", true},
    {nvml::reason::hw_slowdown, "HW slowdown", true},
});

struct PolicyRow {
  unsigned policy;  // nvmlPerfPolicyType_t
  const char* cause;
  const char* what;
};
constexpr auto policies = std::to_array<PolicyRow>({{nvml::policy_power, "the power limit", "time throttled by the power limit"},
                                                    {nvml::policy_thermal, "heat", "time throttled by heat"}});

}  // namespace

GpuPower::GpuPower(const std::string& library, std::string uuid) : library_(nvml::load(library)), uuid_(std::move(uuid)) {
  constexpr const char* all = "energy, clocks and throttling";
  if (!library_.fault.empty()) {
    fault_ = Absence{fmt::format("{} of GPUs", all), library_.fault};
    return;
  }
  if (const nvml::Return code = library_.init(); code != nvml::success) {
    fault_ = Absence{fmt::format("{} of GPUs", all), "nvmlInit_v2: " + nvml::words_of(code)};
    return;
  }
  initialised_ = true;
  const bool there = library_.device_by_uuid != nullptr;
  const nvml::Return code = there ? library_.device_by_uuid(uuid_.c_str(), &handle_) : nvml::function_not_found;
  if (code != nvml::success) fault_ = refusal(Quantity::all, all, "nvmlDeviceGetHandleByUUID", there, code);
}

GpuPower::~GpuPower() {
  if (initialised_ && library_.shutdown != nullptr) library_.shutdown();
}

// What the library lacks is absent of all GPUs alike.
Absence GpuPower::refusal(Quantity quantity, const char* what, const char* function, bool there, nvml::Return code) const {
  if (!there) return {fmt::format("{} of GPUs", what), fmt::format("{} has no {}", library_.path, function), quantity};
  return {fmt::format("{} of {}", what, uuid_), fmt::format("{} of {}: {}", function, uuid_, nvml::words_of(code)), quantity};
}

void GpuPower::read(PowerReading& into) const {
  if (fault_) {
    into.absent.push_back(*fault_);
    return;
  }
  read_energy(into);
  read_clocks(into);
  read_reasons(into);
  read_violations(into);
}

void GpuPower::read_energy(PowerReading& into) const {
  constexpr std::uint64_t millijoule = 1000;  // in microjoules
  constexpr const char* function = "nvmlDeviceGetTotalEnergyConsumption";
  const bool there = library_.total_energy != nullptr;
  std::uint64_t count = 0;
  const nvml::Return code = there ? library_.total_energy(handle_, &count) : nvml::function_not_found;
  if (code != nvml::success)
    into.absent.push_back(refusal(Quantity::energy, "energy", function, there, code));
  else if (count > UINT64_MAX / millijoule)
    into.absent.push_back({"energy of " + uuid_, fmt::format("{} of {} gave {} mJ", function, uuid_, count), Quantity::energy});
  else
    into.energy.push_back({uuid_, count * millijoule, 0});
}

void GpuPower::read_clocks(PowerReading& into) const {
  const bool there = library_.clock != nullptr;
  for (const ClockRow& row : clocks) {
    unsigned now = 0, limit = 0;
    const nvml::Return code = there ? library_.clock(handle_, row.type, &now) : nvml::function_not_found;
    if (code != nvml::success) {
      into.absent.push_back(there ? refusal(row.quantity, row.what, "nvmlDeviceGetClockInfo", there, code)
                                  : refusal(Quantity::clocks, "clocks", "nvmlDeviceGetClockInfo", there, code));
      if (!there) return;
      continue;
    }
    ClockReading reading{uuid_, row.name, static_cast<double>(now), static_cast<double>(now), std::nullopt};
    if (library_.max_clock != nullptr && library_.max_clock(handle_, row.type, &limit) == nvml::success)
      reading.limit = static_cast<double>(limit);
    into.clocks.push_back(std::move(reading));
  }
}

void GpuPower::read_reasons(PowerReading& into) const {
  // The same function: drivers since 535 have both names.
  const bool newer = library_.event_reasons != nullptr;
  const auto function = newer ? library_.event_reasons : library_.throttle_reasons;
  std::uint64_t mask = 0;
  const nvml::Return code = function != nullptr ? function(handle_, &mask) : nvml::function_not_found;
  if (code != nvml::success) {
    const char* const name = newer ? "nvmlDeviceGetCurrentClocksEventReasons" : "nvmlDeviceGetCurrentClocksThrottleReasons";
    into.absent.push_back(refusal(Quantity::throttle_reasons, "throttle reasons", name, function != nullptr, code));
    return;
  }
  // "HW slowdown" stands beside the two that say which.
  if ((mask & (nvml::reason::hw_thermal | nvml::reason::hw_power_brake)) != 0) mask &= ~nvml::reason::hw_slowdown;
  for (const ReasonRow& row : reasons)
    into.throttling.push_back({uuid_, row.cause, row.suspect, (mask & row.bit) != 0, std::nullopt, std::nullopt});
}

void GpuPower::read_violations(PowerReading& into) const {
  constexpr const char* function = "nvmlDeviceGetViolationStatus";
  const bool there = library_.violation != nullptr;
  for (const PolicyRow& row : policies) {
    nvml::ViolationTime time{};
    const nvml::Return code = there ? library_.violation(handle_, row.policy, &time) : nvml::function_not_found;
    if (code != nvml::success) {
      into.absent.push_back(refusal(Quantity::throttle_time, there ? row.what : "time throttled", function, there, code));
      if (!there) return;
    } else if (time.violation > INT64_MAX) {
      into.absent.push_back({fmt::format("{} of {}", row.what, uuid_),
                             fmt::format("{} of {} gave {} ns", function, uuid_, time.violation), Quantity::throttle_time});
    } else {
      into.throttling.push_back(
          {uuid_, row.cause, true, false, std::nullopt, std::chrono::nanoseconds(static_cast<std::int64_t>(time.violation))});
    }
  }
}

}  // namespace railgauge::topo

// Energy, clocks and throttling of one GPU, from NVIDIA's management library.
#pragma once

#include <optional>
#include <string>

#include "topo/evidence/nvml_library.hpp"
#include "topo/evidence/power_reading.hpp"

namespace railgauge::topo {

// Calls the driver in this process, since a child process for each reading (apart.hpp) would cost more than the measurement. A
// driver that hangs therefore blocks this process: only for processes whose peers notice that.
class GpuPower {
 public:
  // `library` as for dlopen, `uuid` as CUDA writes it ("GPU-7a..."). Initialises the library, which may take hundreds of
  // milliseconds. Never throws: each reading lists the values that are unavailable.
  GpuPower(const std::string& library, std::string uuid);
  GpuPower(const GpuPower&) = delete;
  GpuPower& operator=(const GpuPower&) = delete;
  ~GpuPower();

  // Adds the values to `into`, and the unavailable ones to `into.absent`. Never throws.
  void read(PowerReading& into) const;

 private:
  [[nodiscard]] Absence refusal(Absence::Quantity quantity, const char* what, const char* function, bool there,
                                nvml::Return code) const;
  void read_energy(PowerReading& into) const;
  void read_clocks(PowerReading& into) const;
  void read_reasons(PowerReading& into) const;
  void read_violations(PowerReading& into) const;

  nvml::Library library_;
  std::string uuid_;
  nvml::Handle handle_ = nullptr;
  bool initialised_ = false;
  std::optional<Absence> fault_;  // why all values are unavailable
};

}  // namespace railgauge::topo

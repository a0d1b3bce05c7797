// Energy, clocks and throttling of one GPU, as NVIDIA's management library tells them.
#pragma once

#include <optional>
#include <string>

#include "topo/evidence/nvml_library.hpp"
#include "topo/evidence/power_reading.hpp"

namespace railgauge::topo {

// Calls the driver in this process, since a process of its own for each reading (apart.hpp) would cost more than what is
// measured. So a driver that hangs holds this process up: it is for processes whose peers notice that.
class GpuPower {
 public:
  // `library` as for dlopen, `uuid` as CUDA has it ("GPU-7a..."). Initialises the library, which may take 100s of milliseconds.
  // Never throws: what cannot be asked stands in each reading.
  GpuPower(const std::string& library, std::string uuid);
  GpuPower(const GpuPower&) = delete;
  GpuPower& operator=(const GpuPower&) = delete;
  ~GpuPower();

  // Adds to `into`, as read_energy() does.
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
  std::optional<Absence> fault_;  // why nothing can be asked
};

}  // namespace railgauge::topo

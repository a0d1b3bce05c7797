// The symbol of the cuda plugin.
#include <string>

#include "bench/device/cuda/copies.hpp"
#include "bench/device/cuda/device.hpp"
#include "bench/device/cuda/kernel.hpp"

namespace railgauge::cuda {
namespace {

const char* missing() noexcept {
  static const std::string reason = missing_devices();
  return reason.c_str();
}

}  // namespace
}  // namespace railgauge::cuda

extern "C" [[gnu::visibility("default")]] const railgauge::DeviceTable* railgauge_device() {
  static const railgauge::DeviceTable table{.abi = railgauge::plugin_abi,
                                            .name = "cuda",
                                            .most_operands = railgauge::cuda::most_operands,
                                            .missing = railgauge::cuda::missing,
                                            .list = railgauge::cuda::list_devices,
                                            .open = railgauge::cuda::open_device,
                                            .copies = &railgauge::cuda::copies()};
  return &table;
}

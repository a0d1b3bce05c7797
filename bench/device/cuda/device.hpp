// A GPU as a Device: memory of one kind, and kernels in the order of a stream of its own.
#pragma once

#include <memory>
#include <vector>

#include "bench/device/table.hpp"

namespace railgauge::cuda {

// Why there is no GPU that can be used; empty where there is one. Looks for the driver's library first, since without it the
// runtime says that the driver is too old.
[[nodiscard]] std::string missing_devices();

[[nodiscard]] std::vector<DeviceRow> list_devices();

// It has a stream of its own. A reduction of more than kernel.hpp's most_operands
// sources or targets, or of an array that does not begin at a multiple of its element's size, throws Error(usage).
[[nodiscard]] std::unique_ptr<Device> open_device(int number, MemoryKind kind);

}  // namespace railgauge::cuda

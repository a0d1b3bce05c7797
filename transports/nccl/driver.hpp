// The little that is asked of NVIDIA's driver itself, which is looked up when the program runs: the plugin can be loaded where
// there is none.
#pragma once

#include <string>

namespace railgauge::nccl {

// Why there is no driver ("libcuda.so.1: cannot open shared object file"); empty where there is one. Does not start it.
[[nodiscard]] std::string missing_driver();

// The context of a GPU: what makes that GPU the current one of a thread. Null without a driver.
[[nodiscard]] void* current_context();
// Makes it that of this thread.
void make_current(void* context);

// The first number of the compute capability of this thread's GPU; 0 where the driver does not say.
[[nodiscard]] int compute_capability();

}  // namespace railgauge::nccl

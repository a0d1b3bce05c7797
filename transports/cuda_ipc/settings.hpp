// The settings of the cuda_ipc transport (--set cuda_ipc.NAME=VALUE).
#pragma once

#include "transports/cuda_ipc/memory.hpp"
#include "transports/transport.hpp"

namespace railgauge::cuda_ipc {

struct Options {
  HandleKind handles = HandleKind::legacy;
};

// The names: `handles` (legacy, fd, fabric). Throws Error(usage) that lists the known names, or says what is wrong with a value.
[[nodiscard]] Options read_options(const Settings& settings);

}  // namespace railgauge::cuda_ipc

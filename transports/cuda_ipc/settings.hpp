// The settings of the cuda_ipc transport (--set cuda_ipc.NAME=VALUE).
#pragma once

#include <cstdint>

#include "transports/cuda_ipc/memory.hpp"
#include "transports/transport.hpp"

namespace railgauge::cuda_ipc {

// Who sees that a message has arrived.
enum class Progress : std::uint32_t {
  stream,  // what follows in the GPU's stream
  host,    // the host, by an event behind each copy: so it can go beside a transport that the host drives
};

struct Options {
  HandleKind handles = HandleKind::legacy;
  Progress progress = Progress::stream;
  std::uint32_t blocks = 0;  // of the kernel that runs a mapped plan, for each lane; 0: as many as the GPU thinks best
};

// The names: `handles` (legacy, fd, fabric), `progress` (stream, host), `blocks` (a number). Throws Error(usage) that lists the
// known names, or says what is wrong with a value.
[[nodiscard]] Options read_options(const Settings& settings);

}  // namespace railgauge::cuda_ipc

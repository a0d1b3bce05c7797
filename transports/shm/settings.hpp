// The settings of the shm transport (--set shm.NAME=VALUE).
#pragma once

#include "transports/transport.hpp"

namespace railgauge::shm {

struct ShmSettings {
  // Off: nothing of a peer is mapped but its counters, and blocks are read through the kernel (CMA, process_vm_readv), as is done
  // anyway for memory that has no descriptor.
  bool mapped = true;
};

// The names: `mapped` (on, off). Throws Error(usage) that lists the known names, or says what is wrong with a value.
[[nodiscard]] ShmSettings parse_settings(const Settings& settings);

}  // namespace railgauge::shm

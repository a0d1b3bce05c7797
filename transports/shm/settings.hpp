// The settings of the shm transport (--set shm.NAME=VALUE).
#pragma once

#include "transports/transport.hpp"

namespace railgauge::shm {

struct ShmSettings {
  // Off: nothing of a peer is mapped but its counters, and blocks are read through the kernel (CMA, process_vm_readv), as is done
  // anyway for memory that has no descriptor.
  bool mapped = true;
  // A fault that is injected: every copy of a block to or from this rank takes so many times as long. -1: none. Plans then run by
  // messages, as nobody slows down a peer that reads what it maps.
  int slow_rank = -1;
  double slow_times = 2;
};

// The names: `mapped` (on, off), `fault` (slow), `rank` and `times` (of the fault). Throws Error(usage) that lists the known
// names, or says what is wrong with a value.
[[nodiscard]] ShmSettings parse_settings(const Settings& settings);

}  // namespace railgauge::shm

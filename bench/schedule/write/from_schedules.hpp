// Schedules as programs of thread blocks, so that MSCCL and MSCCL++ can run them.
#pragma once

#include <span>
#include <string>

#include "base/words.hpp"
#include "bench/schedule/read/program.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

struct ProgramRequest {
  std::string name;
  Collective collective = Collective::all_reduce;
  bool in_place = false;  // it works with input and output as one buffer
  std::string protocol = "Simple";
  std::uint32_t lanes = 1;   // that run the schedule on shares of every block, each on a channel of its own
  bool out_of_place = true;  // it works with input and output apart
};

// A thread block of a rank for each peer that it sends to, each that it receives from, and one for copies and reductions; a step
// waits for those steps of other thread blocks whose blocks it needs or overwrites where it may be used. Throws
// Error(usage) for a collective that MSCCL has no name for. Precondition: verify() finds nothing, and blocks are equal.
[[nodiscard]] Program program_of(const ProgramRequest& request, std::span<const Schedule> ranks);

}  // namespace railgauge

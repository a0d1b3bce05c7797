// Programs of messages as programs whose ranks write each other's memory, as MSCCL++ executes them.
#pragma once

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// Each message is put into a place of its own in its receiver's scratch and told by a signal; a dependency becomes a semaphore.
// When a thread block has received all, it tells its peer, who ends no earlier, so that the next run can begin. A program that
// has no messages in one of MSCCL++ already comes back as it is. Precondition: check_program() found nothing, and as many
// messages are sent as are received on each connection.
[[nodiscard]] Program one_sided(const Program& program);

}  // namespace railgauge

// From a plan of MSCCL++, whose ranks access each other's memory, to messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/schedule/read/program.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// One schedule a rank. What a rank writes to another is a message, and so is what it reads there; other sources of a reduction
// come into scratch of their own. Kept are the order of all accesses to a block, the order in a thread block, and whatever a
// wait, a nop, a semaphore, a barrier or a packet waits for: a put does not wait for the put before it, and a signal follows
// both. `root` is -1 where there is none. Throws Error(usage) "ORIGIN:LINE: ..." for what a schedule cannot say. Precondition:
// the program is proved, and its steps are one-sided.
[[nodiscard]] std::vector<Schedule> map_plan(const Program& program, const std::string& origin, std::int32_t root);

}  // namespace railgauge

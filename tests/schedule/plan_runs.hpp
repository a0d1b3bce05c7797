// Plans of MSCCL++ executed plainly, thread by thread, with numbers as data and steps in an order drawn at random.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "bench/schedule/read/program.hpp"

namespace railgauge::test {

// `runs` of them, one behind the other without a barrier between ranks. Every thread block has two threads, each with its half of
// every block; the nth signal, wait or semaphore of an operation is one thread's, and only a nop or a barrier makes the threads
// of a thread block meet. What a thread stores is seen by others when it likes, at the latest when they are told by a signal that
// is not relaxed; a relaxed wait lets it read ahead. Until a rank begins, and when its thread blocks have ended, its user
// overwrites input and output. Signals and the data of scratch are left for the next run, of which packets know that they are not
// its own.
// "" where the collective's data comes out of each run, else what went wrong first.
[[nodiscard]] std::string executed_plan(const Program& program, std::int32_t root, int runs, std::mt19937& random);

// Whether all threads of a thread block meet at that step.
[[nodiscard]] bool threads_meet(const Step&) noexcept;

// Changes a plan in one place, and says how; empty where that place cannot be changed.
[[nodiscard]] std::string mutate_plan(Program& program, std::mt19937& random);

}  // namespace railgauge::test

// Removes what UCX leaves of a process that was killed while it set up its shared memory.
#pragma once

#include <chrono>

namespace railgauge::ucx {

// UCX makes a file in /dev/shm, has the kernel fill it with pages, and only then takes its name away: a process that is killed in
// those milliseconds leaves the file, and its memory, for good. Removes such files of this user that were made at `since` or
// later and that no process has open or mapped any more. Never throws.
void remove_leftovers(std::chrono::system_clock::time_point since) noexcept;

}  // namespace railgauge::ucx

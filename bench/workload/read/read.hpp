// Traces of training steps, whatever their format, as a workload.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/workload/workload.hpp"

namespace railgauge {

// Files of one format, each of one rank or of several (tar archives, NCCL's logs); a folder stands for the files in it; a prefix
// NAME of files NAME.0.et, NAME.1.et, ... for these. Beside Chakra's traces a JSON file may say which ranks its groups have.
// What was assumed is in `notes`; ranks of which there is no trace have no nodes. Throws Error(usage) with one sentence that
// begins with the file. `ranks` is how many the job has where the traces do not say it; 0: as they say.
[[nodiscard]] Workload read_workload(std::span<const std::string> paths, int ranks = 0);

// The same of a file in memory.
[[nodiscard]] Workload read_workload_bytes(std::string_view bytes, const std::string& origin, int ranks = 0);

}  // namespace railgauge

// Steps that `railgauge workload -o` wrote when they ran, to stand beside predicted ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// The text of NAME.jsonl, records of steps, and of NAME.json, the timeline of one of this workload with all of its ranks. `path`
// is for messages. Both throw Error(usage) for what cannot be read, and for a timeline of other nodes.
[[nodiscard]] std::vector<StepRecord> read_step_records(std::string_view text, const std::string& path);
[[nodiscard]] Timeline read_timeline(const Workload& workload, std::string_view text, const std::string& path);

// Throws Error(usage) also for files of other names, and for two of a kind.
[[nodiscard]] RunResult read_measured_steps(const Workload& workload, const std::vector<std::string>& files);

}  // namespace railgauge

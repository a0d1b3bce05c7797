// Records of steps as JSON: between the processes of a run, and as lines of a file.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/workload/step_record.hpp"

namespace railgauge {

[[nodiscard]] nlohmann::json to_json(const StepRecord& record);
[[nodiscard]] nlohmann::json to_json(const RunResult& result);  // without its steps
// Throw Error(usage) where a field is missing or of another type.
[[nodiscard]] StepRecord step_of(const nlohmann::json& json);
[[nodiscard]] RunResult result_of(const nlohmann::json& json);

}  // namespace railgauge

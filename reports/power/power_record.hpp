// A Power as JSON: the key "power" of a result line (docs/result.schema.json), and what hosts tell each other of theirs.
#pragma once

#include <nlohmann/json.hpp>

#include "reports/result.hpp"

namespace railgauge {

// Text is printable; an optional that is empty, and a number that is not finite, is null.
[[nodiscard]] nlohmann::ordered_json power_record(const Power& power);
// Throws nlohmann::json::exception, or std::invalid_argument that says what is wrong, where `record` is not such JSON.
[[nodiscard]] Power power_of(const nlohmann::json& record);

}  // namespace railgauge

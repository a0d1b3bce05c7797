// A Result as flat keys and values: what JSON Lines and CSV have in common (docs/result.schema.json describes every key).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/result.hpp"

namespace railgauge {

// The words of a case alone, those of its path, its nodes and its count of elements included.
[[nodiscard]] nlohmann::ordered_json case_record(const Case& point);

// In the order in which they are written. Numbers that are not finite, and times and bandwidths of a point without a sample, are
// null. Text is printable UTF-8 on one line. Holds neither the samples nor the versions.
[[nodiscard]] nlohmann::ordered_json flat_record(const Result& result);

// The whole result as one line of JSON Lines, with its newline; reports/record/reader.hpp reads it back.
[[nodiscard]] std::string result_line(const Result& result);

}  // namespace railgauge

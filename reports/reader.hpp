// Reads results back from JSON Lines.
#pragma once

#include <string>
#include <string_view>

#include "reports/result.hpp"

namespace railgauge {

// One line of docs/result.schema.json. Throws Error(usage), one sentence that names `where` (a file and line, or the like) and
// what was expected, when it is no such line.
[[nodiscard]] Result read_result(std::string_view line, const std::string& where);

}  // namespace railgauge

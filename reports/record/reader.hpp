// Reads results back from JSON Lines.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.hpp"

namespace railgauge {

// One line of docs/result.schema.json. Throws Error(usage), one sentence that names `where` (a file and line, or the like) and
// what was expected, when it is no such line.
[[nodiscard]] Result read_result(std::string_view line, const std::string& where);

// Each of a file of them one after the other, which may be larger than memory: the pairs of a thousand hosts are a million lines.
// Lines that are empty are passed over. Throws as read_result() does, and when the file cannot be read.
void each_result(std::istream& file, const std::string& path, const std::function<void(const Result&)>& take);

// All of a file of them (`text`; `path` is what errors call it). Lines that are empty are passed over.
[[nodiscard]] std::vector<Result> read_results(std::string_view text, const std::string& path);

}  // namespace railgauge

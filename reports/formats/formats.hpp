// The writers of result files, each made by one function. Called by open_writer alone.
#pragma once

#include <memory>
#include <string>

#include "reports/formats/writer.hpp"

namespace railgauge {

// All throw Error(usage) when the file exists or cannot be made. "-" is standard output.
[[nodiscard]] std::unique_ptr<Writer> make_json_lines(const std::string& path);
[[nodiscard]] std::unique_ptr<Writer> make_csv(const std::string& path);
[[nodiscard]] std::unique_ptr<Writer> make_markdown(const std::string& path);
[[nodiscard]] std::unique_ptr<Writer> make_junit(const std::string& path);
[[nodiscard]] std::unique_ptr<Writer> make_github(const std::string& path);
[[nodiscard]] std::unique_ptr<Writer> make_openmetrics(const std::string& path);

}  // namespace railgauge

// Text made safe for what it is put into. All of it is made printable first (base/output/text.hpp).
#pragma once

#include <string>
#include <string_view>

namespace railgauge {

// For an attribute or a text of XML: what XML 1.0 cannot hold in any notation is U+FFFD. The writer escapes the rest.
[[nodiscard]] std::string xml_text(std::string_view text);

// Text that came from outside has no say in how Markdown is shown, nor in where a cell ends.
[[nodiscard]] std::string markdown_text(std::string_view text);

// A line that GitHub Actions understands. `level`: "error", "warning" or "notice".
[[nodiscard]] std::string workflow_command(std::string_view level, std::string_view title, std::string_view message);

}  // namespace railgauge

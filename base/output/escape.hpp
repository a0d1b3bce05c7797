// Escapes text for XML, Markdown and GitHub Actions. Every function makes the text printable first (base/output/text.hpp).
#pragma once

#include <string>
#include <string_view>

namespace railgauge {

// For an attribute or a text of XML: characters that XML 1.0 cannot represent become U+FFFD. The XML writer escapes the rest.
[[nodiscard]] std::string xml_text(std::string_view text);

// Escapes all characters that Markdown or a cell of a table would interpret.
[[nodiscard]] std::string markdown_text(std::string_view text);

// A line that GitHub Actions understands. `level`: "error", "warning" or "notice".
[[nodiscard]] std::string workflow_command(std::string_view level, std::string_view title, std::string_view message);

}  // namespace railgauge

// Text for people: makes untrusted text (a library's message, a host's name) safe to print, and formats numbers for columns.
#pragma once

#include <string>
#include <string_view>

namespace railgauge {

// The text in valid UTF-8 on one line: control characters, which could drive a terminal or break a line, become spaces, and
// invalid bytes become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

// A bandwidth in 1e9 bytes a second for a column: "0.118", "11.25", "5e-05"; "-" for NaN and infinity.
[[nodiscard]] std::string format_gigabytes(double value);

}  // namespace railgauge

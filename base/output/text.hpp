// Text for people: what came from outside (a library's message, a host's name) made safe to print, and numbers in columns.
#pragma once

#include <string>
#include <string_view>

namespace railgauge {

// The same text in valid UTF-8 on one line: control characters, which could drive a terminal or break a line, become spaces, and
// what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

// A bandwidth in 1e9 bytes a second for a column: "0.118", "11.25", "5e-05"; "-" for what is no number.
[[nodiscard]] std::string format_gigabytes(double value);

}  // namespace railgauge

// Text that came from outside (a library's message, a host's name) made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace railgauge {

// The same text in valid UTF-8 on one line: control characters, which could drive a terminal or break a line, become spaces, and
// what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace railgauge

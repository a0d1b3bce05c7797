#pragma once

#include <cstdio>
#include <string_view>

namespace railgauge {

// Writes all of `text` to `to`, and flushes it. Throws Error(usage) when either fails.
void print(std::string_view text, std::FILE* to);

}  // namespace railgauge

#pragma once

#include <string_view>

namespace railgauge {

[[nodiscard]] std::string_view version() noexcept;  // "0.1.0"

}  // namespace railgauge

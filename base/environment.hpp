// The environment as launchers' variables are read from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

// The value of a variable of the environment, or nothing. A snapshot that main took; nothing here asks the system.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

}  // namespace railgauge

// The type through which all code reads environment variables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

// Returns the value of a variable, or nothing where it is not set. Answers from the snapshot that main took, and never asks the
// system.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

}  // namespace railgauge

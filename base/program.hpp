// Which file started this process: what it starts again, and what its plugins lie beside.
#pragma once

#include <filesystem>

#include "base/environment.hpp"

namespace railgauge {

// The starter of a bundle sets it, since under a C library that the bundle carries /proc/self/exe is that library's loader. It is
// about one process alone: read_invocation() takes it out of what processes that this one starts are given.
inline constexpr const char* program_variable = "RAILGAUGE_PROGRAM";

// The starter of a bundle where `environment` names one, else the executable. Empty where neither is known.
[[nodiscard]] std::filesystem::path program_file(const Environment& environment);

}  // namespace railgauge

// The file that started this process: the process starts further processes from it, and finds its plugins beside it.
#pragma once

#include <filesystem>

#include "base/environment.hpp"

namespace railgauge {

// The starter of a bundle sets it, since under a C library that the bundle carries /proc/self/exe is that library's loader. It
// applies to one process alone: read_invocation() removes it from the environment of child processes.
inline constexpr const char* program_variable = "RAILGAUGE_PROGRAM";

// The starter of a bundle where `environment` names one, else the executable. Empty where neither is known.
[[nodiscard]] std::filesystem::path program_file(const Environment& environment);

}  // namespace railgauge

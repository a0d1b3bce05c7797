// Libraries that came as Python wheels: `pip install nvidia-nccl-cu13` puts libnccl.so.2 where the loader does not look.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/environment.hpp"

namespace railgauge {

// The first file LIBRARY of nvidia/*/lib in the packages of a Python: that of VIRTUAL_ENV, of CONDA_PREFIX, of each python3 on
// PATH, and the user's own (HOME/.local, then /usr/local). Empty: there is none.
[[nodiscard]] std::filesystem::path find_in_wheels(std::string_view library, const Environment& environment);

}  // namespace railgauge

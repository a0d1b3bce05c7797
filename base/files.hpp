// Reads whole files up to a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace railgauge {

inline constexpr std::uintmax_t largest_file = 256U << 20U;  // bytes; a machine's description is 1000 times smaller

// Throws Error(usage) "PATH: No such file or directory", for what is no regular file (a pipe is not waited for), and for a file
// of more than `most` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::uintmax_t most = largest_file);

}  // namespace railgauge

// Reads whole files up to a limit, and writes new ones atomically without overwriting.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace railgauge::topo {

inline constexpr std::uintmax_t largest_file = 256U << 20U;  // bytes; a machine's description is 1000 times smaller

// Throws Error(usage) "PATH: No such file or directory", and for a file larger than largest_file.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// Writes a temporary file, then renames it. Throws Error(usage) when `path` exists or cannot be written, and leaves no file then.
void write_new_file(const std::filesystem::path& path, std::string_view text);

}  // namespace railgauge::topo

// Whole files: read with a limit, and written so that nobody sees half of one and none is overwritten.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace railgauge::topo {

inline constexpr std::uintmax_t largest_file = 256U << 20U;  // bytes; a machine's description is 1000 times smaller

// Throws Error(usage): "PATH: No such file or directory".
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// Writes aside, then renames. Throws Error(usage) when `path` exists or cannot be written; nothing is left behind then.
void write_new_file(const std::filesystem::path& path, std::string_view text);

}  // namespace railgauge::topo

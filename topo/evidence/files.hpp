// Reads whole files (base/files.hpp), and writes new ones atomically without overwriting.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/files.hpp"

namespace railgauge::topo {

using railgauge::largest_file;
using railgauge::read_file;

// Writes a temporary file, then renames it. Throws Error(usage) when `path` exists or cannot be written, and leaves no file then.
void write_new_file(const std::filesystem::path& path, std::string_view text);

}  // namespace railgauge::topo

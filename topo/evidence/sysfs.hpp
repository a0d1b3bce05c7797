// Reads the kernel's files with one value each. None of these functions throws.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace railgauge::topo {

// The first line without leading and trailing blanks and without control characters, so that it fits on a line of evidence; empty
// when there is no such file or the kernel refuses it.
[[nodiscard]] std::string sysfs_line(const std::filesystem::path& path);

// The number of up to 64 bits that is the file's only content; nothing when there is no such file, the kernel refuses it, or the
// file holds more.
[[nodiscard]] std::optional<std::uint64_t> sysfs_number(const std::filesystem::path& path);

// The error of reading the file; none when it can be read.
[[nodiscard]] std::error_code sysfs_error(const std::filesystem::path& path);

// The first `most` bytes, unchanged; empty when the file cannot be read.
[[nodiscard]] std::string sysfs_bytes(const std::filesystem::path& path, std::size_t most);

// The names in a folder, sorted by their bytes; none when there is no such folder.
[[nodiscard]] std::vector<std::string> sysfs_names(const std::filesystem::path& folder);

// The last component of a symbolic link's target; empty when there is no link or that name has blanks.
[[nodiscard]] std::string sysfs_link(const std::filesystem::path& path);

}  // namespace railgauge::topo

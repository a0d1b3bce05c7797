// The kernel's small files: one value each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace railgauge::topo {

// Its first line without blanks at the ends and without control characters, so that it fits on a line of evidence; empty when
// there is no such file or the kernel does not give it.
[[nodiscard]] std::string sysfs_line(const std::filesystem::path& path);

// The one number in it, of up to 64 bits; nothing when there is no such file, the kernel does not give it, or it holds more.
[[nodiscard]] std::optional<std::uint64_t> sysfs_number(const std::filesystem::path& path);

// Why a file gave nothing; no error when it can be read.
[[nodiscard]] std::error_code sysfs_error(const std::filesystem::path& path);

// At most `most` bytes as they are.
[[nodiscard]] std::string sysfs_bytes(const std::filesystem::path& path, std::size_t most);

// Names in a folder, in order of their bytes; none when there is no such folder.
[[nodiscard]] std::vector<std::string> sysfs_names(const std::filesystem::path& folder);

// The last part of where a link leads; empty when there is no link, or a name with blanks.
[[nodiscard]] std::string sysfs_link(const std::filesystem::path& path);

}  // namespace railgauge::topo

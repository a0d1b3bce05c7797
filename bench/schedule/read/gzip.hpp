// Files compressed by gzip (RFC 1952), unpacked in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace railgauge {

[[nodiscard]] bool is_gzip(std::string_view bytes) noexcept;

// What its one member holds. Throws Error(usage) "ORIGIN: ..." for a damaged or truncated file, and where the content has more
// than `most` bytes.
[[nodiscard]] std::string unpack_gzip(std::string_view bytes, std::string_view origin, std::size_t most);

}  // namespace railgauge
